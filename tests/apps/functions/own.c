/* SPDX-License-Identifier: MIT */
/*
 * A program with its own versions of C library functions, which all libraries of the process then
 * call. They are instrumented like other functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef strlen
#undef memcmp

size_t strlen(const char *text)
{
	size_t n = 0;
	while (((const volatile char *)text)[n])
		n++;
	return n;
}

int memcmp(const void *left, const void *right, size_t n)
{
	const volatile unsigned char *a = left, *b = right;
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

__attribute__((noinline)) static size_t work(const char *text)
{
	return strlen(text) + (size_t)memcmp(text, text, 4);
}

int main(int argc, char **argv)
{
	size_t sum = 0;
	int n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < n; i++)
		sum += work("four");
	printf("%zu\n", sum);
	return argc < 1 || !argv[0];
}
