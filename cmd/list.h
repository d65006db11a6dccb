/* SPDX-License-Identifier: MIT */
/*
 * The verb `list`.
 */
#ifndef RS_CMD_LIST_H
#define RS_CMD_LIST_H

/*
 * regionstat list [GLOB]: print what this machine can count, and what each event means, on stdout.
 * argv[argc]: argv[0] is "list"; borrowed. Returns the exit status: 0; 1 when no event matches; 125
 * on a usage error, or when the list could not be made or written, with the reason on stderr.
 */
int rs_command_list(int argc, char **argv);

#endif
