/* SPDX-License-Identifier: MIT */
/*
 * A minimal NVTX 3, written from the published contract (see lib/adapters/nvtx.h). Each object that
 * includes this has its own. It loads the library that NVTX_INJECTION64_PATH names, and lets it
 * fill the tables of callbacks. Without a library, calls do nothing and return the same as the
 * public headers' functions.
 */
#ifndef NVTX_PART_H
#define NVTX_PART_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_NOT_TRACKED (-2)

struct nvtx_attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved0;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

enum {
	NVTX_TEXT = 1,
	NVTX_WIDE,
	NVTX_REGISTERED,
};

static void (*nvtx_core[16])(void);
static void (*nvtx_core2[16])(void);
static void (*nvtx_sync[7])(void);
static void (**nvtx_core_table[17])(void);
static void (**nvtx_core2_table[17])(void);
static void (**nvtx_sync_table[8])(void);

static int nvtx_get_module(int module, void (****table)(void), unsigned int *size)
{
	if (module == 1) {
		*table = nvtx_core_table;
		*size = 16;
	} else if (module == 5) {
		*table = nvtx_core2_table;
		*size = 16;
	} else if (module == 6) {
		*table = nvtx_sync_table;
		*size = 7;
	} else {
		return 0;
	}
	return 1;
}

struct nvtx_callbacks {
	size_t struct_size;
	int (*get_module)(int module, void (****table)(void), unsigned int *size);
};

/* A tool that is linked to the program defines this. */
__attribute__((weak)) int (*InitializeInjectionNvtx2_fnptr)(const void *(*)(uint32_t));

static struct nvtx_callbacks nvtx_callbacks = {sizeof(nvtx_callbacks), nvtx_get_module};

static const void *nvtx_get_table(uint32_t id)
{
	return id == 1 ? &nvtx_callbacks : NULL;
}

/* Start with these tables, as the first call does. Return the result of the injection library, or 0
 * if there is none. */
static inline int nvtx_start_with(const void *(*get_table)(uint32_t))
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	int (*init)(const void *(*)(uint32_t)) = NULL;
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	for (int i = 1; i < 16; i++) {
		nvtx_core_table[i] = &nvtx_core[i];
		nvtx_core2_table[i] = &nvtx_core2[i];
	}
	for (int i = 1; i < 7; i++)
		nvtx_sync_table[i] = &nvtx_sync[i];
	if (library)
		*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	else if (!path)
		init = InitializeInjectionNvtx2_fnptr;
	int is_on = init && init(get_table);
	if (!is_on) {
		memset(nvtx_core, 0, sizeof(nvtx_core));
		memset(nvtx_core2, 0, sizeof(nvtx_core2));
		if (library)
			dlclose(library);
	}
	return is_on;
}

static inline int nvtx_start(void)
{
	return nvtx_start_with(nvtx_get_table);
}

/* A function that calls the callback of this index in a module's table. Its result is `instead` if
 * that is NULL. */
#define NVTX_FUNCTION(module, index, type, name, parameters, arguments, instead)                  \
	static inline type nvtx_##name parameters                                                 \
	{                                                                                         \
		return nvtx_##module[index] ? ((type(*) parameters)nvtx_##module[index])arguments \
					    : (type)(instead);                                    \
	}
#define NVTX_MESSAGE const struct nvtx_attributes *message

NVTX_FUNCTION(core, 2, void, mark, (const char *text), (text), 0)
NVTX_FUNCTION(core, 5, uint64_t, range_start, (const char *text), (text), 0)
NVTX_FUNCTION(core, 6, uint64_t, range_start_wide, (const wchar_t *text), (text), 0)
NVTX_FUNCTION(core, 7, void, range_end, (uint64_t id), (id), 0)
NVTX_FUNCTION(core, 8, int, push_ex, (NVTX_MESSAGE), (message), NVTX_NOT_TRACKED)
NVTX_FUNCTION(core, 9, int, push, (const char *text), (text), NVTX_NOT_TRACKED)
NVTX_FUNCTION(core, 10, int, push_wide, (const wchar_t *text), (text), NVTX_NOT_TRACKED)
NVTX_FUNCTION(core, 11, int, pop, (void), (), NVTX_NOT_TRACKED)
NVTX_FUNCTION(core, 14, void, name_thread, (uint32_t thread, const char *name), (thread, name), 0)
NVTX_FUNCTION(
	core, 15, void, name_thread_wide, (uint32_t thread, const wchar_t *name), (thread, name), 0)
NVTX_FUNCTION(core2, 1, void, domain_mark, (void *domain, NVTX_MESSAGE), (domain, message), 0)
NVTX_FUNCTION(core2, 2, uint64_t, domain_start, (void *domain, NVTX_MESSAGE), (domain, message), 0)
NVTX_FUNCTION(core2, 3, void, domain_end, (void *domain, uint64_t id), (domain, id), 0)
NVTX_FUNCTION(core2, 4, int, domain_push, (void *domain, NVTX_MESSAGE), (domain, message),
	NVTX_NOT_TRACKED)
NVTX_FUNCTION(core2, 5, int, domain_pop, (void *domain), (domain), NVTX_NOT_TRACKED)
NVTX_FUNCTION(core2, 8, void, name_category, (void *domain, uint32_t category, const char *name),
	(domain, category, name), 0)
NVTX_FUNCTION(core2, 10, void *, register, (void *domain, const char *text), (domain, text), 0)
NVTX_FUNCTION(
	core2, 11, void *, register_wide, (void *domain, const wchar_t *text), (domain, text), 0)
NVTX_FUNCTION(core2, 12, void *, domain_create, (const char *name), (name), 0)
NVTX_FUNCTION(core2, 13, void *, domain_create_wide, (const wchar_t *name), (name), 0)
NVTX_FUNCTION(core2, 14, void, domain_destroy, (void *domain), (domain), 0)

static inline struct nvtx_attributes nvtx_message(int type, const void *message)
{
	return (struct nvtx_attributes){.version = 3,
		.size = sizeof(struct nvtx_attributes),
		.category = 5,
		.message_type = type,
		.message = message};
}

#endif
