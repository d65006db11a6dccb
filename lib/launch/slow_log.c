/* SPDX-License-Identifier: MIT */
/*
 * This file writes slow calls as lines. Each tick reads the new calls from the ring and writes a
 * line for each. Calls beyond the limit of lines per second are only counted.
 */
#include "launch/slow_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/path.h"
#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)
/* How long to wait at the end for the process that reads the lines. */
#define LAST_WAIT_NS INT64_C(500000000)
#define ROOM_BYTES (64u * RS_LINE_BYTES)

/* A line under construction. It is cut if it is too long. */
struct line {
	char text[RS_LINE_BYTES];
	size_t bytes;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *format, ...)
{
	va_list arguments;
	/* a newline will replace the NUL at the end */
	size_t room = sizeof(line->text) - line->bytes;
	va_start(arguments, format);
	int n = vsnprintf(line->text + line->bytes, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		line->bytes += (size_t)n < room ? (size_t)n : room - 1;
}

/* Add a line to those that wait for the writer. If there is no room, the line is lost. */
static void end_line(struct rs_slow_log *log, struct line *line)
{
	line->text[line->bytes++] = '\n';
	if (!log->waiting)
		log->waiting = malloc(ROOM_BYTES);
	if (!log->waiting || line->bytes > ROOM_BYTES - log->n_waiting_bytes) {
		log->counts.n_unwritten++;
		return;
	}
	memcpy(log->waiting + log->n_waiting_bytes, line->text, line->bytes);
	log->n_waiting_bytes += line->bytes;
}

static void note_error(struct rs_slow_log *log, int number)
{
	log->counts.number = log->counts.number ? log->counts.number : number;
}

/* Wait for the writer, at most until a time of CLOCK_MONOTONIC. Then give it the waiting lines. */
static void write_waiting(struct rs_slow_log *log, int64_t end_ns)
{
	note_error(log, rs_background_finish_until(&log->writer, end_ns));
	if (log->waiting)
		note_error(log, rs_background_write(
					&log->writer, log->fd, log->waiting, log->n_waiting_bytes));
	log->waiting = NULL;
	log->n_waiting_bytes = 0;
}

/* Append a name. If it is not a plain word, it is quoted, and quotes and backslashes in it are
 * escaped. */
static void add_name(struct line *line, const char *name)
{
	bool is_word = *name && !strpbrk(name, " =\"\\/");
	add(line, "%s", is_word ? "" : "\"");
	for (size_t left = strlen(name), taken; left > 0; left -= taken, name += taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(name, left, shown);
		bool is_escaped = *name == '"' || *name == '\\';
		add(line, "%s%s", is_escaped ? "\\" : "", shown);
	}
	add(line, "%s", is_word ? "" : "\"");
}

/* Append the local time ns_ago nanoseconds before now, in ISO 8601. */
static void add_time(struct line *line, uint64_t ns_ago)
{
	struct tm local;
	char date[40], zone[8];
	uint64_t now_ns = (uint64_t)rs_now_ns(CLOCK_REALTIME);
	uint64_t ns = ns_ago < now_ns ? now_ns - ns_ago : 0;
	time_t seconds = (time_t)(ns / NS_PER_S);
	if (!localtime_r(&seconds, &local) ||
		!strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &local) ||
		!strftime(zone, sizeof(zone), "%z", &local))
		return;
	add(line, "%s.%06u%.3s:%s", date, (unsigned)(ns % NS_PER_S / 1000), zone, zone + 3);
}

/* Convert ticks to ns, at most 2^64 - 1. */
static uint64_t ns_of(
	const struct rs_slow_log *log, const struct rs_clock_point *now, uint64_t ticks)
{
	uint64_t span = now->ticks - log->begin.ticks;
	if (log->clock == RS_CLOCK_MONOTONIC || now->ticks <= log->begin.ticks)
		return ticks;
	unsigned __int128 ns = (unsigned __int128)ticks *
			       (now->monotonic_ns - log->begin.monotonic_ns);
	ns = (ns + span / 2) / span;
	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* Append the call's on-CPU and off-CPU time. */
static void add_off_cpu(const struct rs_slow_log *log, struct line *line,
	const struct rs_clock_point *now, const struct rs_slow_call_copy *call)
{
	uint64_t time = ns_of(log, now, call->values[0]);
	uint64_t blocked = ns_of(log, now, call->off_ticks[RS_OFF_BLOCKED]);
	uint64_t preempted = ns_of(log, now, call->off_ticks[RS_OFF_PREEMPTED]);
	uint64_t off = blocked + preempted;
	add(line, " cpu-time=%" PRIu64 "ns blocked=%" PRIu64 "ns preempted=%" PRIu64 "ns",
		off < time ? time - off : 0, blocked, preempted);
}

static void add_events(
	const struct rs_slow_log *log, struct line *line, const struct rs_slow_call_copy *call)
{
	for (size_t i = 0; i < log->plan->n_events; i++) {
		const struct rs_event *event = &log->plan->events[i];
		if (event->counter == 0 || event->counter > log->ring.n_events)
			continue;
		uint64_t value = call->values[event->counter];
		bool is_counted = value != UINT64_MAX;
		/* another type of core counts this event */
		if (event->part_name && !is_counted)
			continue;
		add(line, " ");
		add_name(line, event->part_name ? event->part_name : event->name);
		if (is_counted)
			add(line, "=%" PRIu64 "%s", value,
				strcmp(event->unit, "ns") == 0 ? "ns" : "");
		else
			add(line, "=-");
	}
}

static void add_whose(struct line *line, const char *key, uint32_t number, const char *name)
{
	add(line, " %s=%" PRIu32, key, number);
	if (!*name)
		return;
	add(line, "/");
	add_name(line, name);
}

/* Write the line of a call: its end, region, process, thread, time and events. */
static void tell(struct rs_slow_log *log, const struct rs_clock_point *now,
	const struct rs_slow_call_copy *call)
{
	struct line line = {.bytes = 0};
	uint64_t end = call->begin_ticks + call->values[0];
	add_time(&line, ns_of(log, now, end < now->ticks ? now->ticks - end : 0));
	add(&line, " slow region=");
	add_name(&line, call->region);
	add_whose(&line, "process", call->pid, call->process);
	add_whose(&line, "thread", call->tid, call->thread);
	add(&line, " time=%" PRIu64 "ns", ns_of(log, now, call->values[0]));
	if (call->flags & RS_SLOW_CALL_WATCHED)
		add_off_cpu(log, &line, now, call);
	add_events(log, &line, call);
	end_line(log, &line);
	log->n_lines++;
	log->counts.n_lines++;
}

/* Write a line that says how many calls got no line since the last such line. */
static void report_over_limit(struct rs_slow_log *log)
{
	struct line line = {.bytes = 0};
	uint64_t n_lost = log->ring.n_lost - log->n_lost_reported;
	if (log->n_over_limit == 0 && n_lost == 0)
		return;
	add_time(&line, 0);
	add(&line, " slow");
	if (log->n_over_limit > 0)
		add(&line, " over_limit=%" PRIu64 " lines_per_second=%" PRIu32, log->n_over_limit,
			log->lines_per_s);
	if (n_lost > 0)
		add(&line, " lost=%" PRIu64, n_lost);
	end_line(log, &line);
	log->counts.n_over_limit += log->n_over_limit;
	log->n_over_limit = 0;
	log->n_lost_reported = log->ring.n_lost;
}

static void look(struct rs_slow_log *log, bool is_last)
{
	const struct rs_clock_point now = rs_clock_point_now(log->clock);
	if (log->second_ns == 0 || now.monotonic_ns - log->second_ns >= NS_PER_S) {
		report_over_limit(log);
		log->second_ns = now.monotonic_ns;
		log->n_lines = 0;
	}
	rs_slow_ring_look(&log->ring);
	struct rs_slow_call_copy call;
	while (log->n_lines < log->lines_per_s &&
		rs_slow_ring_next(&log->ring, now.monotonic_ns, is_last, &call))
		tell(log, &now, &call);
	if (log->n_lines >= log->lines_per_s)
		log->n_over_limit += rs_slow_ring_skip(&log->ring);
	if (is_last) {
		log->n_over_limit += log->ring.n_pending;
		report_over_limit(log);
	} else if (!rs_background_is_busy(&log->writer)) {
		write_waiting(log, INT64_MAX);
	}
}

void rs_slow_log_tick(void *context, const struct rs_so_far *so_far)
{
	(void)so_far;
	look(context, false);
}

/* Open the file with O_NONBLOCK, so that a pipe without a reader is an error and does not block. */
static int open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

bool rs_slow_log_init(struct rs_slow_log *log, const struct rs_segment *segment,
	const struct rs_plan *plan, const char *path, uint32_t lines_per_s, struct rs_err *err)
{
	*log = (struct rs_slow_log){
		.plan = plan,
		.clock = (enum rs_clock)segment->header->clock,
		.lines_per_s = lines_per_s,
		.fd = !path		       ? STDERR_FILENO
		      : strcmp(path, "-") == 0 ? STDOUT_FILENO
					       : -1,
	};
	rs_slow_ring_init(&log->ring, segment->fd, segment->header->n_events);
	if (log->fd < 0)
		log->fd = open_file(path);
	if (log->fd < 0 && errno == ENXIO) {
		rs_err_set(err, "cannot write slow calls to '%s': the pipe has no reader",
			rs_text_shown(path).text);
		return rs_err_add_line(err, "try: start its reader first");
	}
	if (log->fd < 0)
		return rs_err_set_unwritable(err, errno, "slow calls ", path, "--slow-output");
	log->begin = rs_clock_point_now(log->clock);
	return true;
}

void rs_slow_log_finish(struct rs_slow_log *log, struct rs_slow_counts *counts)
{
	int64_t end_ns = rs_now_ns(CLOCK_MONOTONIC) + LAST_WAIT_NS;
	if (log->fd >= 0)
		look(log, true);
	write_waiting(log, end_ns);
	write_waiting(log, end_ns); /* wait for the lines that the first call gave to the writer */
	log->counts.n_lost = log->ring.n_lost;
	log->counts.n_unwritten += log->writer.n_lost;
	if (counts)
		*counts = log->counts;
	if (log->fd > STDERR_FILENO)
		close(log->fd);
	*log = (struct rs_slow_log){.fd = -1};
}
