/* SPDX-License-Identifier: MIT */
/*
 * jumped scope|pair N: N calls of "inner" that end by a longjmp(), each within a call of "outer".
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <regionstat.h>

static jmp_buf here;

__attribute__((noinline)) static void leave_scope(void)
{
	REGIONSTAT_SCOPE("inner");
	longjmp(here, 1);
}

__attribute__((noinline)) static void leave_pair(void)
{
	REGIONSTAT_BEGIN("inner");
	longjmp(here, 1);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	volatile int is_scope = strcmp(argv[1], "scope") == 0;
	volatile int n = atoi(argv[2]);
	while (n > 0) {
		REGIONSTAT_BEGIN("outer");
		if (!setjmp(here)) {
			if (is_scope)
				leave_scope();
			else
				leave_pair();
		}
		REGIONSTAT_END("outer");
		n = n - 1;
	}
	return 0;
}
