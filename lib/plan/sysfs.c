/* SPDX-License-Identifier: MIT */
/*
 * This file encodes pmu/terms/ with the formats and events that sysfs has for the PMU. The output
 * is attr.type and attr.config*, or a message that lists the terms and events of the PMU.
 */
#include "plan/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/suggest.h"

#define DEVICES "%s/bus/event_source/devices"
#define PATH_BYTES 4096
/* limit of the bytes that are read from a file in a PMU's format/ or events/ */
#define FILE_BYTES 1024

struct encoder {
	const struct rs_host *host;
	const struct rs_syntax_event *written;
	const char *pmu;
	struct perf_event_attr *attr;
	char definition[FILE_BYTES]; /* terms of the last event that the string names, or "" */
	struct rs_err *err;
};

/* Return true if name can be the name of a file in sysfs. A path with another name could lead out
 * of the directory. */
static bool is_plain_name(const char *name)
{
	if (!*name || *name == '.' || strlen(name) > 128)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
			return false;
	return true;
}

static bool parse_number(const char *text, uint64_t *number)
{
	if (!isdigit((unsigned char)*text))
		return false;
	bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	errno = 0;
	*number = strtoull(text, &end, is_hexadecimal ? 16 : 10);
	return !errno && !*end && end[-1] != 'x' && end[-1] != 'X';
}

bool rs_sysfs_read(const struct rs_host *host, char *text, size_t text_bytes, const char *pmu,
	const char *file)
{
	return is_plain_name(pmu) &&
	       rs_host_read(text, text_bytes, DEVICES "/%s/%s", host->sysfs, pmu, file) == 0;
}

bool rs_sysfs_type(const struct rs_host *host, const char *pmu, uint32_t *type)
{
	char text[32];
	uint64_t number;
	if (!rs_sysfs_read(host, text, sizeof(text), pmu, "type") || !parse_number(text, &number) ||
		number > UINT32_MAX)
		return false;
	*type = (uint32_t)number;
	return true;
}

bool rs_sysfs_is_system_wide(const struct rs_host *host, const char *pmu)
{
	char text[FILE_BYTES];
	return rs_sysfs_read(host, text, sizeof(text), pmu, "cpumask");
}

bool rs_sysfs_has_event(const struct rs_host *host, const char *pmu, const char *event)
{
	char text[FILE_BYTES];
	return is_plain_name(pmu) && is_plain_name(event) &&
	       rs_host_read(text, sizeof(text), DEVICES "/%s/events/%s", host->sysfs, pmu, event) ==
		       0;
}

void rs_sysfs_find(const struct rs_host *host, const char *pattern, glob_t *found)
{
	char path[PATH_BYTES];
	*found = (glob_t){0};
	snprintf(path, sizeof(path), DEVICES "/%s", host->sysfs, pattern);
	glob(path, 0, NULL, found);
}

const char *rs_sysfs_pmu_of(char *path)
{
	*strrchr(path, '/') = '\0';
	return rs_text_file_name(path);
}

static bool fail(const struct encoder *encoder, const char *what, const char *term)
{
	char event[256];
	char shown[128];
	rs_text_escape(event, sizeof(event), encoder->written->text);
	rs_text_escape(shown, sizeof(shown), term);
	return rs_err_set(encoder->err, "bad event '%s': %s '%s'", event, what, shown);
}

/* Return the field of attr that a format names, and set *bits to the rest of the format. Return
 * NULL if the field is unknown. */
static uint64_t *find_word(struct perf_event_attr *attr, const char *format, const char **bits)
{
	static const char *const names[] = {"config", "config1", "config2", "config3"};
	/* the kernel's type is unsigned long long, which has the same size */
	uint64_t *const words[] = {
		(uint64_t *)&attr->config,
		(uint64_t *)&attr->config1,
		(uint64_t *)&attr->config2,
#ifdef PERF_ATTR_SIZE_VER8
		(uint64_t *)&attr->config3,
#endif
	};
	size_t length = strcspn(format, ":");
	*bits = format + length + (format[length] == ':');
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(names[i]) == length && strncmp(names[i], format, length) == 0)
			return words[i];
	return NULL;
}

/* Write value into bit ranges such as "0-7,32-35", low bits first. Return the bits that do not
 * fit. */
static uint64_t spread_bits(uint64_t *word, const char *ranges, uint64_t value)
{
	while (isdigit((unsigned char)*ranges)) {
		char *end;
		unsigned long low = strtoul(ranges, &end, 10);
		unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
		ranges = end + (*end == ',');
		for (unsigned long bit = low; bit <= high && bit < 64; bit++) {
			*word = (*word & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
			value >>= 1;
		}
	}
	return value;
}

static bool apply_format(
	struct encoder *encoder, const char *term, const char *value_text, const char *format)
{
	uint64_t value = 1;
	const char *bits;
	uint64_t *word = find_word(encoder->attr, format, &bits);
	if (value_text && !parse_number(value_text, &value)) {
		fail(encoder, "not a number in term", term);
		return rs_err_add_line(encoder->err, "try: %s=1 or %s=0x1", term, term);
	}
	if (!word)
		return fail(encoder,
			"this kernel is newer than regionstat, which cannot encode the term", term);
	if (!*bits)
		*word = value;
	else if (spread_bits(word, bits, value) != 0) {
		fail(encoder, "too large a value for term", term);
		return rs_err_add_line(encoder->err, "the PMU '%s' has it in bits %s of %.*s",
			encoder->pmu, bits, (int)strcspn(format, ":"), format);
	}
	return true;
}

static void list_directory(
	const struct encoder *encoder, const char *kind, char *out, size_t out_bytes)
{
	char pattern[FILE_BYTES];
	glob_t found;
	snprintf(pattern, sizeof(pattern), "%s/%s/*", encoder->pmu, kind);
	rs_sysfs_find(encoder->host, pattern, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = rs_text_file_name(found.gl_pathv[i]);
		if (!strchr(name, '.') && strlen(out) + strlen(name) + 3 < out_bytes)
			rs_text_list(out, out_bytes, name);
	}
	globfree(&found);
}

static bool fail_unknown_term(const struct encoder *encoder, const char *term)
{
	char names[800] = "";
	fail(encoder, "unknown term", term);
	list_directory(encoder, "events", names, sizeof(names));
	if (*names)
		rs_err_add_line(encoder->err, "events of the PMU '%s': %s", encoder->pmu, names);
	*names = '\0';
	list_directory(encoder, "format", names, sizeof(names));
	return rs_err_add_line(encoder->err,
		"try: one of the terms %s%sconfig, config1, config2, name", names,
		*names ? ", " : "");
}

static bool is_given(const struct rs_syntax_event *written, const char *term)
{
	for (size_t i = 0; i < written->n_terms; i++)
		if (written->terms[i].value && strcmp(written->terms[i].name, term) == 0)
			return true;
	return false;
}

static bool apply_term(
	struct encoder *encoder, const char *term, const char *value, bool may_be_event);

/* Apply the terms of a named event: "event=0xc0,umask=1,edge". */
static bool apply_definition(struct encoder *encoder, const char *event)
{
	char text[FILE_BYTES];
	snprintf(text, sizeof(text), "%s", encoder->definition);
	char *rest = text;
	for (char *term = strsep(&rest, ","); term; term = strsep(&rest, ",")) {
		char *value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		if (value && strcmp(value, "?") == 0) {
			if (is_given(encoder->written, term))
				continue;
			fail(encoder, "a value must be given for term", term);
			return rs_err_add_line(
				encoder->err, "try: %s/%s,%s=0/", encoder->pmu, event, term);
		}
		if (!apply_term(encoder, term, value, false))
			return false;
	}
	return true;
}

static bool is_raw(const char *term)
{
	return term[0] == 'r' && term[1] && strlen(term) <= 17 &&
	       term[1 + strspn(term + 1, "0123456789abcdefABCDEF")] == '\0';
}

static bool apply_term(
	struct encoder *encoder, const char *term, const char *value, bool may_be_event)
{
	char format[FILE_BYTES];
	if (strcmp(term, "name") == 0 && may_be_event && value && *value)
		return true;
	if (is_plain_name(term) && rs_host_read(format, sizeof(format), DEVICES "/%s/format/%s",
					   encoder->host->sysfs, encoder->pmu, term) == 0)
		return apply_format(encoder, term, value, format);
	if (strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 ||
		strcmp(term, "config2") == 0)
		return apply_format(encoder, term, value, term);
	if (may_be_event && !value && is_plain_name(term) &&
		rs_host_read(encoder->definition, sizeof(encoder->definition),
			DEVICES "/%s/events/%s", encoder->host->sysfs, encoder->pmu, term) == 0)
		return apply_definition(encoder, term);
	if (may_be_event && !value && is_raw(term)) {
		encoder->attr->config = strtoull(term + 1, NULL, 16);
		return true;
	}
	return fail_unknown_term(encoder, term);
}

static bool fail_unknown_pmu(const struct encoder *encoder)
{
	struct rs_suggest suggest = {.name = encoder->pmu};
	glob_t found;
	rs_sysfs_find(encoder->host, "*/type", &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		rs_suggest_offer(&suggest, rs_sysfs_pmu_of(found.gl_pathv[i]));
	globfree(&found);
	fail(encoder, "this machine has no PMU", encoder->pmu);
	if (!rs_suggest_add_line(&suggest, encoder->err))
		rs_err_add_line(encoder->err, "try: ls " DEVICES, encoder->host->sysfs);
	return false;
}

bool rs_sysfs_encode(const struct rs_host *host, const struct rs_syntax_event *written,
	struct perf_event_attr *attr, struct rs_arena *arena, const char **help, struct rs_err *err)
{
	struct encoder encoder = {
		.host = host, .written = written, .pmu = written->head, .attr = attr, .err = err};
	if (!rs_sysfs_type(host, encoder.pmu, &attr->type))
		return fail_unknown_pmu(&encoder);
	for (size_t i = 0; i < written->n_terms; i++)
		if (!apply_term(&encoder, written->terms[i].name, written->terms[i].value, true))
			return false;
	*help = *encoder.definition ? rs_arena_format(arena, "%s", encoder.definition) : NULL;
	return true;
}

bool rs_sysfs_find_type(const struct rs_host *host, uint32_t type, char *pmu, size_t pmu_bytes)
{
	glob_t found;
	bool is_found = false;
	rs_sysfs_find(host, "*/type", &found);
	for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
		uint32_t own;
		snprintf(pmu, pmu_bytes, "%s", rs_sysfs_pmu_of(found.gl_pathv[i]));
		is_found = rs_sysfs_type(host, pmu, &own) && own == type;
	}
	globfree(&found);
	return is_found;
}

void rs_sysfs_visit(const struct rs_host *host, rs_event_visit *visit, void *context)
{
	glob_t found;
	rs_sysfs_find(host, "*/events/*", &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = found.gl_pathv[i], *event = strrchr(path, '/') + 1;
		char definition[FILE_BYTES];
		/* files such as NAME.scale and NAME.unit describe the event NAME */
		if (strchr(event, '.') ||
			rs_host_read(definition, sizeof(definition), "%s", path) != 0)
			continue;
		event[-1] = '\0';
		visit(context, rs_sysfs_pmu_of(path), event, definition);
	}
	globfree(&found);
}
