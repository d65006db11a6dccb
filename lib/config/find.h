/* SPDX-License-Identifier: MIT */
/*
 * Which file of settings there is, and whether it may be believed.
 */
#ifndef RS_CONFIG_FIND_H
#define RS_CONFIG_FIND_H

#include "config/yaml.h"

#define RS_CONFIG_FILE "regionstat.yaml"

/* Where the file is from. */
enum rs_config_source {
	RS_CONFIG_NONE, /* there is none */
	RS_CONFIG_TOLD, /* the user named it */
	RS_CONFIG_HERE, /* it lay in the working directory: it can be from anybody */
	RS_CONFIG_HOME, /* the user's own directory of settings */
};

struct rs_config_file {
	enum rs_config_source source;
	struct rs_yaml yaml; /* zeroed where source is RS_CONFIG_NONE */
	struct rs_err notice; /* which files were there and were not taken, and why; or "" */
};

/* The path of a name in the user's directory of regionstat: $XDG_CONFIG_HOME/regionstat, or that in
 * ~/.config. False: the directory is unknown, or the path is longer than bytes. */
bool rs_config_home_path(char *path, size_t bytes, const char *name);

/*
 * Read the file that the user named, or else regionstat.yaml in the working directory, or else
 * regionstat/config.yaml in $XDG_CONFIG_HOME, or ~/.config.
 * told: a path, or NULL. A file that was not named must be a regular file that only the effective
 * user or root may have written (base/owner.h). In the working directory it must be no symbolic
 * link. Other files are skipped, with a notice. file: filled on success; release with
 * rs_config_file_finish(). False, with err filled: it cannot be read, or is no document
 * (config/yaml.h).
 * Names of directories: the XDG Base Directory Specification.
 */
bool rs_config_file_load(struct rs_config_file *file, const char *told, struct rs_err *err);

/* Release what it owns. file: filled, zeroed, or NULL. */
void rs_config_file_finish(struct rs_config_file *file);

#endif
