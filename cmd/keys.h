/* SPDX-License-Identifier: MIT */
/*
 * The keys of regionstat.yaml: one for each option of a run, made from the table of options.
 */
#ifndef RS_KEYS_H
#define RS_KEYS_H

#include "options_table.h"

#define RS_KEY_BYTES 64
#define RS_MAX_KEYS 160u

/* The key of an option: its word with '_' for '-', without the "no-" of what is on unless told (such
 * a key's value is the opposite of the flag's), or what the table says. */
struct rs_key {
	char text[RS_KEY_BYTES];
};
struct rs_key rs_key_of(const struct rs_option *option);

/* Whether an option has a key: it is one of run, and a setting. */
bool rs_key_exists(const struct rs_option *option);

/* Whether the key of a flag stands for the flag's opposite. */
bool rs_key_is_inverted(const struct rs_option *option);

/* Whether a value may name a file that is read or written: a file of settings that nobody named
 * cannot have it. */
bool rs_key_needs_trust(const struct rs_option *option);

/* Whether the option can be set for a region by itself, as REGION:VALUE. */
bool rs_key_has_regions(const struct rs_option *option);

/* The option of a key; NULL: there is none. */
const struct rs_option *rs_key_find(const char *key);

#endif
