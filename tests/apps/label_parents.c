/* SPDX-License-Identifier: MIT */
/*
 * label_parents N: call "leaf" in "a" and in "b" N times, in turn. The program looks at its label after
 * each marker. It prints how many labels were wrong, and how many labels there were in total.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regionstat.h>

/* the offset of the value in a record of OTEP 4947, and that of its length */
#define VALUE 30
#define BYTES 29

static const char *const *label;
static unsigned n_wrong, n_looks;

static void look(const char *name)
{
	n_looks++;
	n_wrong += !*label || (size_t)(*label)[BYTES] != strlen(name) ||
		   memcmp(*label + VALUE, name, strlen(name)) != 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	void *library = dlopen("libregionstat.so.1", RTLD_NOW | RTLD_NOLOAD);
	label = library ? dlsym(library, "otel_thread_ctx_v1") : NULL;
	for (unsigned long i = 0; label && i < n; i++) {
		REGIONSTAT_BEGIN("a");
		REGIONSTAT_BEGIN("leaf");
		look("leaf");
		REGIONSTAT_END("leaf");
		look("a");
		REGIONSTAT_NEXT("a", "b");
		REGIONSTAT_BEGIN("leaf");
		look("leaf");
		REGIONSTAT_END("leaf");
		look("b");
		REGIONSTAT_END("b");
	}
	printf("%u of %u\n", n_wrong, n_looks);
	return 0;
}
