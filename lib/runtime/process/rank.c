/* SPDX-License-Identifier: MIT */
/*
 * This file finds the rank of this process in an MPI program. It reads the environment with which
 * the process was started (/proc/PID/environ). It does not use getenv(3), because another thread
 * may change libc's copy, and some libcs take a lock.
 */
#include "base/rank.h"
#include "runtime/process/process.h"

/* One environment variable while it is read. Variables with a rank are shorter than text. */
struct variable {
	uint32_t length; /* sizeof(text) if the variable is longer, so that it has no rank */
	char text[48];
};

/* Return the value if text is the variable with that name, else NULL. MemorySanitizer does not know
 * that the kernel wrote the text, so libc's functions are not used. */
static const char *value_of(const char *text, const char *name)
{
	for (; *name; name++, text++)
		if (*text != *name)
			return NULL;
	return *text == '=' ? text + 1 : NULL;
}

/* Return the variable's index in rs_rank_variables and fill *rank. Return RS_RANK_VARIABLES if it
 * is none of them, or its value is no rank. */
static uint32_t which(struct variable *variable, uint32_t *rank)
{
	if (variable->length >= sizeof(variable->text))
		return RS_RANK_VARIABLES;
	variable->text[variable->length] = '\0';
	for (uint32_t i = 0; i < RS_RANK_VARIABLES; i++) {
		const char *value = value_of(variable->text, rs_rank_variables[i]);
		if (value && rs_rank_parse(value, rank))
			return i;
	}
	return RS_RANK_VARIABLES;
}

bool rs_rank_find(uint32_t *rank)
{
	char text[1024];
	struct variable variable = {0};
	uint32_t best = RS_RANK_VARIABLES, found;
	long n, fd = RS_SYS(openat, AT_FDCWD, RS_OWN_FILE("environ"), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (best > 0 && (n = RS_SYS(read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n; i++) {
			if (text[i]) {
				if (variable.length < sizeof(variable.text))
					variable.text[variable.length++] = text[i];
				continue;
			}
			uint32_t at = which(&variable, &found);
			if (at < best) {
				best = at;
				*rank = found;
			}
			variable.length = 0;
		}
	}
	RS_SYS(close, fd);
	return best < RS_RANK_VARIABLES;
}
