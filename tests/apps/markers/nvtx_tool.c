/* SPDX-License-Identifier: MIT */
/*
 * An injection library like that of another tool. It prints every call that it gets, with names by
 * its own handles, which start at 1 for domains and for strings. NVTX_TOOL selects its kind:
 *
 *   plain    it has neither domains nor strings
 *   reuses   a new domain gets the handle of a domain that was destroyed
 *   refuses  it has callbacks, but its initialization fails
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved0;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

struct callbacks {
	size_t struct_size;
	int (*get_module)(int module, void (****table)(void), unsigned int *size);
};

static const char *domains[8], *strings[8];
static uintptr_t n_domains, n_strings;
static int level;
static uint64_t last_id = 1000;

static const char *name_of(const char **names, uintptr_t n, const void *handle)
{
	uintptr_t at = (uintptr_t)handle;
	if (!at)
		return "none";
	if (at > n)
		abort(); /* this tool did not return this handle */
	return names[at - 1];
}

static void say(const char *what, const void *domain, const struct attributes *attributes)
{
	printf("tool %s %s %s\n", what, name_of(domains, n_domains, domain),
		attributes->message_type == 3 ? name_of(strings, n_strings, attributes->message)
					      : (const char *)attributes->message);
}

static int push_text(const char *text)
{
	printf("tool push %s\n", text);
	return 100 + level++;
}

static int pop(void)
{
	printf("tool pop\n");
	return 100 + --level;
}

static void domain_mark(const void *domain, const struct attributes *attributes)
{
	say("mark", domain, attributes);
}

static uint64_t domain_start(const void *domain, const struct attributes *attributes)
{
	say("start", domain, attributes);
	return ++last_id;
}

static void domain_end(const void *domain, uint64_t id)
{
	printf("tool end %s %llu\n", name_of(domains, n_domains, domain), (unsigned long long)id);
}

static int domain_push(const void *domain, const struct attributes *attributes)
{
	say("push", domain, attributes);
	return 200 + level++;
}

static int domain_pop(const void *domain)
{
	printf("tool pop %s\n", name_of(domains, n_domains, domain));
	return 200 + --level;
}

static void name_category(const void *domain, uint32_t category, const char *name)
{
	printf("tool category %s %u %s\n", name_of(domains, n_domains, domain), category, name);
}

static void name_thread(uint32_t thread, const char *name)
{
	printf("tool thread %s %s\n", thread == (uint32_t)getpid() ? "first" : "other", name);
}

static void *register_text(const void *domain, const char *text)
{
	(void)domain;
	strings[n_strings] = text;
	return (void *)++n_strings;
}

static void *register_wide(const void *domain, const int *text)
{
	(void)text;
	return register_text(domain, "a wide string");
}

static void *create_text(const char *name)
{
	domains[n_domains] = name;
	return (void *)++n_domains;
}

static void *create_wide(const int *name)
{
	(void)name;
	return create_text("a wide domain");
}

static void destroy(const void *domain)
{
	const char *kind = getenv("NVTX_TOOL");
	printf("tool destroy %s\n", name_of(domains, n_domains, domain));
	if (kind && !strcmp(kind, "reuses"))
		n_domains = (uintptr_t)domain - 1;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
	const void *(*get_table)(uint32_t));

#ifdef LINKED
/* NVTX finds this pointer if the program is linked to the tool. */
extern int (*InitializeInjectionNvtx2_fnptr)(const void *(*get_table)(uint32_t));
int (*InitializeInjectionNvtx2_fnptr)(
	const void *(*get_table)(uint32_t)) = InitializeInjectionNvtx2;
#endif

#define SET(table, index, function) (*(table)[index] = (void (*)(void))(function))

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
	const struct callbacks *callbacks = get_table(1);
	const char *kind = getenv("NVTX_TOOL");
	void (***table)(void);
	unsigned int size;
	if (!callbacks || !callbacks->get_module(1, &table, &size) || size < 15)
		return 0;
	SET(table, 9, push_text);
	SET(table, 11, pop);
	SET(table, 14, name_thread);
	if (!callbacks->get_module(5, &table, &size) || size < 15)
		return 0;
	SET(table, 1, domain_mark);
	SET(table, 2, domain_start);
	SET(table, 3, domain_end);
	SET(table, 4, domain_push);
	SET(table, 5, domain_pop);
	if (!kind || strcmp(kind, "plain") != 0) {
		SET(table, 8, name_category);
		SET(table, 10, register_text);
		SET(table, 11, register_wide);
		SET(table, 12, create_text);
		SET(table, 13, create_wide);
		SET(table, 14, destroy);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	return !kind || strcmp(kind, "refuses") != 0;
}
