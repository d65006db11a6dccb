/* SPDX-License-Identifier: MIT */
/*
 * This file allocates and touches fresh pages. It is a separate source, so that no compiler merges
 * two accesses.
 */
#include "pages.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "../touch.h"
#include "rules.h"

#define STACK_BYTES 65536

volatile unsigned char *map_pages(size_t n_pages)
{
	return (volatile unsigned char *)fresh_pages(n_pages * PAGE_BYTES);
}

volatile unsigned char *touch_pages(volatile unsigned char *pages, size_t n_pages)
{
	return (volatile unsigned char *)touch((volatile char *)pages, n_pages, PAGE_BYTES);
}

/* Return true if relocation made the page read-only. */
static bool is_relro(const struct dl_phdr_info *object, uintptr_t page)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_GNU_RELRO && page + PAGE_BYTES > start &&
			page < start + header->p_memsz)
			return true;
	}
	return false;
}

/* Read every page of an object. Also write to each writable page, without changing it. */
UNSANITIZED static int touch_object(struct dl_phdr_info *object, size_t bytes, void *unused)
{
	(void)bytes, (void)unused;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + header->p_vaddr;
		uintptr_t end = start + header->p_memsz;
		if (header->p_type != PT_LOAD || !(header->p_flags & PF_R))
			continue;
		for (uintptr_t page = start & ~(uintptr_t)(PAGE_BYTES - 1); page < end;
			page += PAGE_BYTES) {
			unsigned char *byte = (unsigned char *)page;
			if (header->p_flags & PF_W && !is_relro(object, page))
				__atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
			else
				(void)*(volatile unsigned char *)byte;
		}
	}
	return 0;
}

UNSANITIZED static void touch_stack(void)
{
	volatile unsigned char stack[STACK_BYTES];
	for (size_t i = 0; i < STACK_BYTES; i += PAGE_BYTES)
		stack[i] = 1;
	(void)stack[0];
}

void warm_up_faults(void)
{
	volatile unsigned char *spare = map_pages(16);
	dl_iterate_phdr(touch_object, NULL);
	touch_stack();
	for (int i = 0; i < 4; i++) {
		REGIONSTAT_BEGIN("warm-up");
		touch_pages(spare + (size_t)i * 4 * PAGE_BYTES, 4);
		REGIONSTAT_END("warm-up");
	}
}
