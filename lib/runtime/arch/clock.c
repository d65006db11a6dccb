/* SPDX-License-Identifier: MIT */
/*
 * Finding clock_gettime() in the vDSO, an ELF object that the kernel has mapped. Its symbols are in
 * a System V hash table, a GNU hash table, or both.
 */
#include "runtime/arch/clock.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/arch/arch.h"
#include "runtime/arch/system.h"

#if defined(__aarch64__)
#define NAME "__kernel_clock_gettime"
#else
#define NAME "__vdso_clock_gettime"
#endif

/* rs_clock_compare() takes the best of this many readings. */
#define N_COMPARED 8

static int (*clock_gettime_in_vdso)(clockid_t, struct timespec *);

/* Tables of the vDSO, found through its dynamic section. */
struct vdso {
	/* an address in memory minus the same address in the ELF file */
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *names;
	/* System V table, or NULL. It begins with n_buckets and n_symbols. */
	const uint32_t *hash;
	const uint32_t *gnu_hash; /* the GNU table, or NULL */
};

/* Find the vDSO's tables. The addresses in its dynamic section are not relocated, so base is added
 * to each. Return false if a table is missing. */
static bool read_dynamic(struct vdso *vdso, const ElfW(Ehdr) * elf)
{
	const char *image = (const char *)elf;
	const ElfW(Phdr) *headers = (const void *)(image + elf->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	bool is_loaded = false;
	for (uint32_t i = 0; i < elf->e_phnum; i++) {
		if (headers[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(image + headers[i].p_offset);
		if (headers[i].p_type == PT_LOAD && !is_loaded) {
			vdso->base = (uintptr_t)image + headers[i].p_offset - headers[i].p_vaddr;
			is_loaded = true;
		}
	}
	for (; is_loaded && dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		const void *place = (const void *)(vdso->base + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_SYMTAB)
			vdso->symbols = place;
		else if (dynamic->d_tag == DT_STRTAB)
			vdso->names = place;
		else if (dynamic->d_tag == DT_HASH)
			vdso->hash = place;
		else if (dynamic->d_tag == DT_GNU_HASH)
			vdso->gnu_hash = place;
	}
	return vdso->symbols && vdso->names && (vdso->hash || vdso->gnu_hash);
}

/* Count the vDSO's symbols. In a GNU hash table, the last symbol is the end of the last chain. */
static uint32_t count_symbols(const struct vdso *vdso)
{
	if (vdso->hash)
		return vdso->hash[1];
	uint32_t n_buckets = vdso->gnu_hash[0], first = vdso->gnu_hash[1], last = 0;
	const uint32_t *buckets = vdso->gnu_hash + 4 + vdso->gnu_hash[2] * sizeof(ElfW(Addr)) / 4;
	const uint32_t *chains = buckets + n_buckets;
	for (uint32_t i = 0; i < n_buckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

void rs_clock_find(void)
{
	struct vdso vdso = {0};
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	if (!image || !read_dynamic(&vdso, image))
		return;
	for (uint32_t i = 0, n = count_symbols(&vdso); i < n; i++) {
		const ElfW(Sym) *symbol = &vdso.symbols[i];
		if (symbol->st_shndx == SHN_UNDEF || strcmp(vdso.names + symbol->st_name, NAME))
			continue;
		uintptr_t function = vdso.base + symbol->st_value;
		memcpy(&clock_gettime_in_vdso, &function, sizeof(function));
	}
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

uint64_t rs_clock_read(clockid_t clock)
{
	struct timespec now = {0, 0};
	RS_SYS(clock_gettime, clock, &now);
	return ns_of(&now);
}

uint64_t rs_clock_monotonic(void)
{
	struct timespec now;
	if (!clock_gettime_in_vdso || clock_gettime_in_vdso(CLOCK_MONOTONIC, &now))
		return rs_clock_read(CLOCK_MONOTONIC);
	return ns_of(&now);
}

struct rs_clock_point rs_clock_compare(uint32_t clock)
{
	struct rs_clock_point best = {0};
	uint64_t least = UINT64_MAX;
	rs_clock_monotonic(); /* The first call can take long, so its result is not used. */
	if (clock == RS_CLOCK_MONOTONIC) {
		best.ticks = best.monotonic_ns = rs_clock_monotonic();
		return best;
	}
	/* Use the shortest of these readings: the thread may lose its CPU in others. */
	for (int i = 0; i < N_COMPARED; i++) {
		uint64_t before = rs_counter_after(), ns = rs_clock_monotonic();
		uint64_t width = rs_counter_after() - before;
		if (width >= least)
			continue;
		least = width;
		best = (struct rs_clock_point){(before + width / 2) << RS_COUNTER_SHIFT, ns};
	}
	return best;
}
