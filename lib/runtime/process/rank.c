/* SPDX-License-Identifier: MIT */
/*
 * Which rank of an MPI program this process is. The rank is in the environment that the process
 * was started with, which is read where the kernel has it. Another thread may be changing libc's
 * copy, and getenv(3) takes locks in some libcs. Out comes a number, whatever was there.
 */
#include "base/rank.h"
#include "runtime/process/process.h"

/* One variable while it is read: as much of it as one of a rank may have. */
struct variable {
	uint32_t length; /* more than text holds: it is none of them */
	char text[48];
};

/* Where the value of a variable of that name begins; NULL: it is another one. By hand: a program's
 * MemorySanitizer does not know that the kernel wrote the text. */
static const char *value_of(const char *text, const char *name)
{
	for (; *name; name++, text++)
		if (*text != *name)
			return NULL;
	return *text == '=' ? text + 1 : NULL;
}

/* The place of a variable among those of ranks, where it has one and its value is a rank;
 * RS_RANK_VARIABLES otherwise. */
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
	long n, fd = RS_SYS(openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC);
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
