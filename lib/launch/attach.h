/* SPDX-License-Identifier: MIT */
/*
 * Attaching to a program that was started without regionstat. Nothing stops the program. regionstat
 * writes a request and one word into each loaded object with the marker header. The object's next
 * marker then loads the runtime (regionstat.h).
 */
#ifndef RS_LAUNCH_ATTACH_H
#define RS_LAUNCH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "segment/segment.h"

/* The contents of a marker header's note (regionstat.h). */
struct rs_attach_note {
	uint32_t abi;
	uint32_t request_bytes;
	int64_t to_request, to_table, to_stub;
};

/* The marker header in a loaded object: addresses in the program. */
struct rs_attach_object {
	uint64_t at; /* of the note's contents */
	struct rs_attach_note note;
	uint64_t request; /* struct regionstat_request_1_ */
	uint64_t table; /* the word that turns the markers on */
	uint64_t stub; /* its value until the runtime is loaded */
};

struct rs_attach {
	pid_t pid;
	int pidfd;
	uid_t uid; /* the program's effective user, as the caller's namespace numbers it */
	struct rs_attach_object *objects; /* owned */
	size_t n;
	/* The regionstat that started the program and has ended since, so that its run goes on; 0: the
	 * program was started without regionstat. nonce is that of the run's segment. */
	pid_t ended_launcher;
	uint64_t nonce;
	int segment_fd; /* of that run; the caller opens it; -1: none */
	/* The process that holds the segment open where the program can find it (holder.h).
	 * It ends when the pipe is closed. 0: there is none. */
	pid_t holder;
	int holder_pipe;
};

/* Find the marker headers of a running process. Fill attach; the caller releases it with
 * rs_attach_finish(), even after a failure. A process whose regionstat has ended needs none of them. Return false
 * and set err with the reason and a remedy if the process cannot be measured. Nothing is written into the process. */
bool rs_attach_init(struct rs_attach *attach, pid_t pid, struct rs_err *err);

/* Turn the markers on. runtime_path is the absolute path of libregionstat.so. Return false and set err
 * if the program cannot reach the segment or its memory cannot be written. */
bool rs_attach_begin(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_err *err);

/* Ask the runtime to detach, and wait until it has. After 12 s, go on without it: the
 * process may be stopped. Markers that were never called are turned off here. */
void rs_attach_end(struct rs_attach *attach, const struct rs_segment *segment);

/* Release attach, which may be zeroed. */
void rs_attach_finish(struct rs_attach *attach);

/* ---- attach_find.c ---- */

/* Read or write memory of the program. Return false and set errno if not all bytes could be. */
bool rs_attach_read(pid_t pid, uint64_t address, void *into, size_t bytes);
bool rs_attach_write(pid_t pid, uint64_t address, const void *from, size_t bytes);

/* Fill the list of objects. Return false and set err if the program has none that can be used. */
bool rs_attach_find(struct rs_attach *attach, struct rs_err *err);

/* Return true if the program still runs and the object is still loaded. */
bool rs_attach_is_there(const struct rs_attach *attach, const struct rs_attach_object *object);

/* ---- attach_holder.c ---- */

/* What the holder offers, as the program finds it. */
struct rs_attach_place {
	char segment[96]; /* the segment, in the form of RS_SEGMENT_ENV */
	char runtime[888]; /* the runtime's file */
};

/* Start the holder. Return false and set err if it cannot enter the program's namespaces. */
bool rs_attach_hold(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_attach_place *place, struct rs_err *err);

/* Return false if the holder has ended. */
bool rs_attach_is_held(struct rs_attach *attach);

/* End the holder, if there is one. */
void rs_attach_release(struct rs_attach *attach);

/* ---- attach_refuse.c ---- */

/* Say why the kernel denies access to a process. Return false. */
bool rs_attach_refuse(pid_t pid, int number, struct rs_err *err);

/* Return true if a process is in this process's namespace of this kind, or that is unknown. */
bool rs_attach_has_our_namespace(pid_t pid, const char *kind);

/* Set a value of /proc/PID/status. Return false if there is no such line. */
bool rs_attach_status(pid_t pid, const char *name, char *value, size_t bytes);

#endif
