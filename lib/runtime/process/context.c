/* SPDX-License-Identifier: MIT */
/*
 * The process context of --labels. It tells other profilers that otel_thread_ctx_v1 leads to
 * records, and which attribute of a record is the region. It is a mapping named OTEL_CTX with a
 * header and a protobuf message. Source: OpenTelemetry OTEP 4719, "Process Context", and OTEP 4947,
 * "Process Context: Thread-Local Reference Data".
 */
#include <string.h>
#include <sys/prctl.h>

#include "runtime/process/process.h"
#include "runtime/process/self.h"

#ifndef PR_SET_VMA /* Linux 5.17 */
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#define MFD_ALLOW_SEALING 2u
#endif
#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 8u
#endif

#define NAME "OTEL_CTX"
#define VERSION 2u

struct context {
	char signature[8];
	uint32_t version;
	uint32_t payload_bytes;
	_Atomic uint64_t published_ns; /* CLOCK_BOOTTIME; 0: the rest is not complete */
	uint64_t payload; /* address of the payload */
	uint8_t bytes[];
};
static_assert(sizeof(struct context) == 32, "OTEP 4719");

/* The definition of this variable that the process uses. It is not the runtime's own if the
 * program, or a library that is loaded at its start, publishes contexts itself. */
extern __attribute__((visibility("default"))) __thread const void *otel_thread_ctx_v1;

/* ---- protobuf ---- */

/* Put a field of wire type 2 (bytes) before `to`, which grows downwards: the tag and the length of
 * the bytes from `to` to `end`. All lengths are below 128, so each is one byte. */
static uint8_t *put_field(uint8_t *to, const uint8_t *end, unsigned int field)
{
	size_t bytes = (size_t)(end - to);
	*--to = (uint8_t)bytes;
	*--to = (uint8_t)(field << 3 | 2);
	return to;
}

static uint8_t *put_text(uint8_t *to, const char *text, unsigned int field)
{
	size_t bytes = strlen(text);
	uint8_t *end = to;
	to -= bytes;
	memcpy(to, text, bytes);
	return put_field(to, end, field);
}

/* Put a field with a message KeyValue before `to`. The messages are KeyValue {string key = 1;
 * AnyValue value = 2}; AnyValue {string string_value = 1; ArrayValue array_value = 5}; ArrayValue
 * {repeated AnyValue values = 1}. */
static uint8_t *put_attribute(
	uint8_t *to, const char *key, const char *value, bool is_array, unsigned int field)
{
	uint8_t *end = to;
	to = put_text(to, value, 1);
	if (is_array)
		to = put_field(put_field(to, end, 1), end, 5);
	to = put_field(to, end, 2);
	to = put_text(to, key, 1);
	return put_field(to, end, field);
}

/* Put a message ProcessContext before `end`, and return its first byte. The messages are
 * ProcessContext {Resource resource = 1; repeated KeyValue attributes = 2}; Resource {repeated
 * KeyValue attributes = 1}. */
static uint8_t *put_context(uint8_t *end)
{
	char name[RS_THREAD_NAME_BYTES + 1] = {0}; /* One more byte, for the newline. */
	size_t n = rs_sys_read_file("/proc/self/comm", name, sizeof(name));
	if (n && name[n - 1] == '\n')
		name[n - 1] = '\0';
	uint8_t *to = put_attribute(
		end, "threadlocal.attribute_key_map", "regionstat.region", true, 2);
	to = put_attribute(to, "threadlocal.schema_version", "tlsdesc_v1_dev", false, 2);
	uint8_t *end_of_resource = to;
	to = put_attribute(to, "service.name", name, false, 1);
	return put_field(to, end_of_resource, 1);
}

/* ---- the mapping ---- */

/* Return a mapping for the context, which a forked child does not inherit, or NULL. Set *has_name
 * to true if readers can find it by its file name. */
static struct context *map(bool *has_name)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	long fd = RS_SYS(memfd_create, NAME, flags | MFD_NOEXEC_SEAL);
	if (fd < 0)
		fd = RS_SYS(memfd_create, NAME, flags);
	*has_name = fd >= 0 && RS_SYS(ftruncate, fd, RS_PAGE_BYTES) == 0;
	void *memory = rs_sys_mmap(NULL, RS_PAGE_BYTES, PROT_READ | PROT_WRITE,
		*has_name ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, *has_name ? (int)fd : -1, 0);
	if (fd >= 0)
		RS_SYS(close, fd);
	if (memory == MAP_FAILED)
		return NULL;
	if (RS_SYS(madvise, memory, RS_PAGE_BYTES, MADV_DONTFORK) == 0)
		return memory;
	RS_SYS(munmap, memory, RS_PAGE_BYTES);
	return NULL;
}

bool rs_context_publish(struct rs_live *live)
{
	bool has_name;
	if ((const void *)&otel_thread_ctx_v1 != &rs_locals.label ||
		rs_sys_maps_have(":" NAME, NULL))
		return false;
	struct context *context = map(&has_name);
	if (!context)
		return false;
	uint8_t *end = (uint8_t *)context + RS_PAGE_BYTES, *payload = put_context(end);
	memcpy(context->signature, NAME, sizeof(context->signature));
	context->version = VERSION;
	context->payload_bytes = (uint32_t)(end - payload);
	context->payload = (uintptr_t)payload;
	uint64_t now_ns = rs_clock_read(CLOCK_BOOTTIME);
	/* Release orders the context before the time that tells readers that it is complete. */
	atomic_store_explicit(&context->published_ns, now_ns ? now_ns : 1, memory_order_release);
	live->context = context;
	if (RS_SYS(prctl, PR_SET_VMA, PR_SET_VMA_ANON_NAME, context, RS_PAGE_BYTES, NAME) == 0 ||
		has_name)
		return true;
	rs_context_withdraw(live);
	return false;
}

void rs_context_withdraw(struct rs_live *live)
{
	if (live->context)
		RS_SYS(munmap, live->context, RS_PAGE_BYTES);
	live->context = NULL;
}
