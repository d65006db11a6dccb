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

/* Call a callback that may be NULL; its result is then `instead`. */
#define NVTX_CALL(module, index, instead, type, parameters, arguments)              \
	(nvtx_##module[index] ? ((type(*) parameters)nvtx_##module[index])arguments \
			      : (type)(instead))

static inline void nvtx_mark(const char *text)
{
	NVTX_CALL(core, 2, 0, void, (const char *), (text));
}
static inline uint64_t nvtx_range_start(const char *text)
{
	return NVTX_CALL(core, 5, 0, uint64_t, (const char *), (text));
}
static inline uint64_t nvtx_range_start_wide(const wchar_t *text)
{
	return NVTX_CALL(core, 6, 0, uint64_t, (const wchar_t *), (text));
}
static inline void nvtx_range_end(uint64_t id)
{
	NVTX_CALL(core, 7, 0, void, (uint64_t), (id));
}
static inline int nvtx_push_ex(const struct nvtx_attributes *attributes)
{
	return NVTX_CALL(
		core, 8, NVTX_NOT_TRACKED, int, (const struct nvtx_attributes *), (attributes));
}
static inline int nvtx_push(const char *text)
{
	return NVTX_CALL(core, 9, NVTX_NOT_TRACKED, int, (const char *), (text));
}
static inline int nvtx_push_wide(const wchar_t *text)
{
	return NVTX_CALL(core, 10, NVTX_NOT_TRACKED, int, (const wchar_t *), (text));
}
static inline int nvtx_pop(void)
{
	return NVTX_CALL(core, 11, NVTX_NOT_TRACKED, int, (void), ());
}
static inline void nvtx_name_thread(uint32_t thread, const char *name)
{
	NVTX_CALL(core, 14, 0, void, (uint32_t, const char *), (thread, name));
}
static inline void nvtx_name_thread_wide(uint32_t thread, const wchar_t *name)
{
	NVTX_CALL(core, 15, 0, void, (uint32_t, const wchar_t *), (thread, name));
}
static inline void nvtx_domain_mark(void *domain, const struct nvtx_attributes *attributes)
{
	NVTX_CALL(
		core2, 1, 0, void, (void *, const struct nvtx_attributes *), (domain, attributes));
}
static inline uint64_t nvtx_domain_start(void *domain, const struct nvtx_attributes *attributes)
{
	return NVTX_CALL(core2, 2, 0, uint64_t, (void *, const struct nvtx_attributes *),
		(domain, attributes));
}
static inline void nvtx_domain_end(void *domain, uint64_t id)
{
	NVTX_CALL(core2, 3, 0, void, (void *, uint64_t), (domain, id));
}
static inline int nvtx_domain_push(void *domain, const struct nvtx_attributes *attributes)
{
	return NVTX_CALL(core2, 4, NVTX_NOT_TRACKED, int, (void *, const struct nvtx_attributes *),
		(domain, attributes));
}
static inline int nvtx_domain_pop(void *domain)
{
	return NVTX_CALL(core2, 5, NVTX_NOT_TRACKED, int, (void *), (domain));
}
static inline void nvtx_name_category(void *domain, uint32_t category, const char *name)
{
	NVTX_CALL(core2, 8, 0, void, (void *, uint32_t, const char *), (domain, category, name));
}
static inline void *nvtx_register(void *domain, const char *text)
{
	return NVTX_CALL(core2, 10, 0, void *, (void *, const char *), (domain, text));
}
static inline void *nvtx_register_wide(void *domain, const wchar_t *text)
{
	return NVTX_CALL(core2, 11, 0, void *, (void *, const wchar_t *), (domain, text));
}
static inline void *nvtx_domain_create(const char *name)
{
	return NVTX_CALL(core2, 12, 0, void *, (const char *), (name));
}
static inline void *nvtx_domain_create_wide(const wchar_t *name)
{
	return NVTX_CALL(core2, 13, 0, void *, (const wchar_t *), (name));
}
static inline void nvtx_domain_destroy(void *domain)
{
	NVTX_CALL(core2, 14, 0, void, (void *), (domain));
}

static inline struct nvtx_attributes nvtx_message(int type, const void *message)
{
	return (struct nvtx_attributes){.version = 3,
		.size = sizeof(struct nvtx_attributes),
		.category = 5,
		.message_type = type,
		.message = message};
}

#endif
