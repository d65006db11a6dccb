/* SPDX-License-Identifier: MIT */
/*
 * This file writes an archive of traces, a tar file with a manifest. Perfetto opens it as one
 * timeline (https://perfetto.dev/docs/reference/perfetto-manifest). The format is POSIX pax's
 * "ustar Interchange Format". A header block of 512 bytes precedes each file, and two blocks of
 * zeros end the archive.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/write.h"
#include "output.h"
#include "trace/origin.h"

#define BLOCK_BYTES 512u
#define COPIED_BYTES 65536u
/* The tar header stores the size of a file in 11 octal digits. This is the largest such size. */
#define MOST_BYTES ((UINT64_C(1) << 33) - 1)
#define MANIFEST "perfetto_manifest.json"
#define NAME_BYTES 100u
#define BASE_BYTES 80u /* longest name in bytes, without the number that makes it unique */

struct header {
	char name[NAME_BYTES], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type;
	char link[100], magic[6], version[2], rest[247];
};
_Static_assert(sizeof(struct header) == BLOCK_BYTES, "a header is one block");

struct member {
	const char *path; /* belongs to the caller */
	char name[NAME_BYTES];
	uint64_t bytes;
	time_t time;
	struct rs_trace_origin origin;
};

struct archive {
	struct member *members;
	size_t n;
	char *manifest;
	struct rs_err input; /* why a file could not be copied; "": no error */
};

/* ---- files ---- */

/* Open a file. O_NONBLOCK avoids waiting for the writer of a FIFO. */
static int open_trace(const char *path, struct rs_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		rs_err_set_errno(err, errno, "cannot read '%s'", rs_text_shown(path).text);
	return fd;
}

static bool check_member(struct member *member, struct rs_err *err)
{
	struct stat status = {0};
	int fd = open_trace(member->path, err);
	bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
	member->bytes = is_file ? (uint64_t)status.st_size : 0;
	member->time = status.st_mtime;
	bool is_trace = is_file && rs_trace_origin_read(&member->origin, fd, member->bytes);
	if (fd < 0)
		return false;
	close(fd);
	if (is_trace && member->bytes <= MOST_BYTES)
		return true;
	rs_err_set(err, "cannot archive '%s': it is %s", rs_text_shown(member->path).text,
		!is_file	     ? "no regular file"
		: member->bytes == 0 ? "empty"
		: is_trace	     ? "8 GiB or more, which tar cannot hold"
				     : "no trace in Perfetto's format");
	return rs_err_add_line(err, "try: files that --trace FILE wrote, or -o all.json for those "
				    "that -o FILE.json wrote");
}

static bool is_taken(const struct archive *archive, size_t i, const char *name)
{
	if (strcmp(name, MANIFEST) == 0)
		return true;
	for (size_t k = 0; k < i; k++)
		if (strcmp(archive->members[k].name, name) == 0)
			return true;
	return false;
}

/* Name a file in the archive after the last part of its path. Replace unsafe characters by '_'. If
 * another file already has this name, put a number before the name. */
static void name_member(const struct archive *archive, size_t i)
{
	struct member *member = &archive->members[i];
	const char *base = rs_text_file_name(member->path);
	char name[BASE_BYTES + 1];
	size_t n = strlen(base);
	snprintf(name, sizeof(name), "%s", n > BASE_BYTES ? base + n - BASE_BYTES : base);
	for (char *c = name; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-",
			    *c))
			*c = '_';
	snprintf(member->name, sizeof(member->name), "%s", name);
	for (size_t number = i + 1; is_taken(archive, i, member->name); number++)
		snprintf(member->name, sizeof(member->name), "%zu-%s", number % 1000000000, name);
}

/* ---- the manifest ---- */

/* Return true if the archive contains a trace of another host, or of another boot of this host. If
 * same_host is true, consider only traces of hosts with the same name. */
static bool has_other(
	const struct archive *archive, const struct rs_trace_origin *origin, bool same_host)
{
	for (size_t i = 0; i < archive->n; i++) {
		const struct rs_trace_origin *other = &archive->members[i].origin;
		bool is_host = strcmp(origin->host, other->host) == 0;
		if (other->host[0] &&
			(is_host ? strcmp(origin->boot, other->boot) != 0 : !same_host))
			return true;
	}
	return false;
}

/* Return a name for the machine of a trace: the host name. If traces come from several boots of one
 * host, add the boot to the name, because each boot has its own clocks. Return NULL if all traces
 * come from one boot of one host, because they share its clocks. */
static json_t *make_machine(const struct archive *archive, const struct rs_trace_origin *origin)
{
	char name[2 * RS_MACHINE_TEXT_BYTES + 8];
	if (!origin->host[0] || !has_other(archive, origin, false))
		return NULL;
	bool is_ambiguous = has_other(archive, origin, true);
	snprintf(name, sizeof(name), "%s%s%s", origin->host, is_ambiguous ? " boot " : "",
		is_ambiguous ? origin->boot : "");
	return json_pack("{s:s}", "name", name);
}

/* Make the text of the manifest. A guard calls this. Perfetto aligns the clocks of several machines
 * by CLOCK_REALTIME, which each trace contains. The timeline shows CLOCK_BOOTTIME of the machine of
 * the first trace. */
static void make_manifest(void *context)
{
	struct archive *archive = context;
	json_t *files = json_array();
	for (size_t i = 0; i < archive->n; i++) {
		const struct member *member = &archive->members[i];
		json_array_append_new(
			files, json_pack("{s:s, s:o*}", "path", member->name, "machine",
				       make_machine(archive, &member->origin)));
	}
	json_t *manifest = json_pack("{s:{s:i, s:{s:s, s:s}, s:o}}", "perfetto_manifest", "version",
		1, "trace_time", "clock", "BOOTTIME", "file", archive->members[0].name, "files",
		files);
	archive->manifest = json_dumps(manifest, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	json_decref(manifest);
}

/* ---- writing ---- */

static int write_header(int fd, const char *name, uint64_t bytes, time_t time)
{
	struct header header = {.mode = "0000644", .uid = "0000000", .gid = "0000000", .type = '0'};
	uint64_t seconds = time < 0 ? 0 : (uint64_t)time & MOST_BYTES;
	unsigned sum = 0;
	snprintf(header.name, sizeof(header.name), "%s", name);
	snprintf(header.size, sizeof(header.size), "%011llo", (unsigned long long)bytes);
	snprintf(header.time, sizeof(header.time), "%011llo", (unsigned long long)seconds);
	memcpy(header.magic, "ustar", sizeof(header.magic));
	memcpy(header.version, "00", sizeof(header.version));
	memset(header.checksum, ' ', sizeof(header.checksum));
	for (size_t i = 0; i < sizeof(header); i++)
		sum += ((const unsigned char *)&header)[i];
	snprintf(header.checksum, sizeof(header.checksum), "%06o", sum);
	return rs_write_all(fd, (const char *)&header, sizeof(header));
}

/* Write zeros after a file of `bytes` bytes, until the last block is full. */
static int write_padding(int fd, uint64_t bytes)
{
	static const char zeros[BLOCK_BYTES];
	return rs_write_all(fd, zeros, (size_t)(-bytes % BLOCK_BYTES));
}

/* Copy a file into the archive. Return 0 or an errno value. If the input cannot be read, set
 * archive->input. */
static int copy_file(struct archive *archive, const struct member *member, int from, int fd)
{
	char bytes[COPIED_BYTES];
	int number = 0;
	for (uint64_t left = member->bytes; left > 0 && number == 0;) {
		ssize_t n = rs_read_all(
			from, bytes, left < sizeof(bytes) ? (size_t)left : sizeof(bytes));
		if (n <= 0) {
			rs_err_set(&archive->input, "cannot read all of '%s': %s",
				rs_text_shown(member->path).text,
				n < 0 ? strerror(errno) : "it became shorter during the reading");
			rs_err_add_line(
				&archive->input, "try: again, when no process writes to it");
			return EIO;
		}
		left -= (uint64_t)n;
		number = rs_write_all(fd, bytes, (size_t)n);
	}
	return number;
}

static int write_member(struct archive *archive, const struct member *member, int fd)
{
	int from = open_trace(member->path, &archive->input);
	int number = from < 0 ? EIO : write_header(fd, member->name, member->bytes, member->time);
	if (number == 0)
		number = copy_file(archive, member, from, fd);
	if (from >= 0)
		close(from);
	return number == 0 ? write_padding(fd, member->bytes) : number;
}

static int write_archive(void *context, int fd)
{
	static const char end[2 * BLOCK_BYTES];
	struct archive *archive = context;
	size_t bytes = strlen(archive->manifest);
	int number = write_header(fd, MANIFEST, bytes, archive->members[0].time);
	if (number == 0)
		number = rs_write_all(fd, archive->manifest, bytes);
	if (number == 0)
		number = write_padding(fd, bytes);
	for (size_t i = 0; i < archive->n && number == 0; i++)
		number = write_member(archive, &archive->members[i], fd);
	return number == 0 ? rs_write_all(fd, end, sizeof(end)) : number;
}

static bool prepare(struct archive *archive, char *const *files, struct rs_err *err)
{
	archive->members = calloc(archive->n, sizeof(*archive->members));
	for (size_t i = 0; archive->members && i < archive->n; i++) {
		archive->members[i].path = files[i];
		if (!check_member(&archive->members[i], err))
			return false;
		name_member(archive, i);
	}
	return (archive->members && rs_arena_guard(make_manifest, archive)) ||
	       rs_err_set_errno(err, ENOMEM, "cannot archive the traces");
}

bool rs_archive_make(const char *path, char *const *files, size_t n, struct rs_err *err)
{
	struct archive archive = {.n = n};
	struct rs_output output = {.fd = -1};
	bool done = prepare(&archive, files, err) && rs_output_init(&output, path, false, err) &&
		    rs_output_write_content(
			    &output, &(struct rs_output_content){write_archive, &archive}, err);
	if (archive.input.text[0])
		*err = archive.input;
	rs_output_finish(&output, done);
	free(archive.members);
	free(archive.manifest);
	return done;
}
