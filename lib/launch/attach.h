/* SPDX-License-Identifier: MIT */
/*
 * These functions attach to a program that was started without regionstat. They stop no thread of
 * the program. regionstat writes a request and one word into each loaded object that contains the
 * marker header. The object's next marker then loads the runtime (regionstat.h).
 */
#ifndef RS_LAUNCH_ATTACH_H
#define RS_LAUNCH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "segment/segment.h"

/* The contents of the ELF note that the marker header adds to an object (regionstat.h). */
struct rs_attach_note {
	uint32_t abi;
	uint32_t request_bytes;
	int64_t to_request, to_table, to_stub;
};

/* The marker header in a loaded object. All addresses are in the program. */
struct rs_attach_object {
	uint64_t at; /* address of the note's contents */
	struct rs_attach_note note;
	uint64_t request; /* address of a struct regionstat_request_1_ */
	uint64_t table; /* address of the word that turns the markers on */
	uint64_t stub; /* value of that word until the runtime is loaded */
	/* this regionstat, or the ended one whose run it continues, has written the word */
	bool is_on;
};

/* More objects with markers are ignored. */
#define RS_ATTACH_MOST_OBJECTS 64u

struct rs_attach {
	pid_t pid;
	int pidfd;
	uid_t uid; /* the program's effective user, as numbered in the caller's user namespace */
	/* the process has a filter of seccomp(2), which can kill it at a system call */
	bool has_filter;
	struct rs_attach_object objects[RS_ATTACH_MOST_OBJECTS];
	size_t n;
	/* The auxiliary vector of the program in which the objects are. It identifies the program,
	 * because AT_RANDOM in it is a random address. */
	uint64_t auxv[64];
	bool has_executed; /* rs_attach_has_executed() has returned true */
	/* The pid of the regionstat that began the measurement and has ended; 0: there is none. If
	 * there is one, `regionstat attach` continues that run. `nonce` is that of the run's
	 * segment. */
	pid_t ended_launcher;
	uint64_t nonce;
	int segment_fd; /* descriptor of the segment of that run; the caller opens it; -1: none */
	/* The process that keeps the segment open where the program can find it (holder.h), or 0.
	 * This process ends when holder_socket is closed. If holder_socket is -1, the program needs
	 * no such process. */
	pid_t holder;
	int holder_socket;
	/* A function to call once, if rs_attach_end() waits for the process and the process is
	 * stopped. NULL: none. */
	void (*warn_stopped)(pid_t pid);
};

/* Return the initial struct for a process of which only the pid is known. */
static inline struct rs_attach rs_attach_of(pid_t pid)
{
	return (struct rs_attach){.pid = pid, .pidfd = -1, .segment_fd = -1, .holder_socket = -1};
}

/* Find the marker headers of a running process, and fill attach, which comes from rs_attach_of().
 * The caller releases it with rs_attach_finish(), even after a failure. If the process has an
 * ended_launcher, it needs no marker header. Return false and set err to the reason and a remedy if
 * the process cannot be measured. This function writes nothing into the process. */
bool rs_attach_init(struct rs_attach *attach, struct rs_err *err);

/* Turn the markers on. runtime_path is the absolute path of libregionstat.so. Return false and set
 * err if the program cannot reach the segment, or if its memory cannot be written. */
bool rs_attach_begin(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_err *err);

/* Return true if the process was seen running another program that it has executed since
 * rs_attach_init(). */
bool rs_attach_has_executed(struct rs_attach *attach);

/* Ask the runtime to detach, and wait until it has detached. This can take long if the process is
 * stopped. Return false after 12 s, or if the process has ended. Also turn off the markers of
 * objects that have not loaded the runtime. */
bool rs_attach_end(struct rs_attach *attach, const struct rs_segment *segment);

/* Release the contents of attach. */
void rs_attach_finish(struct rs_attach *attach);

/* ---- attach_find.c ---- */

/* Read or write memory of the program. Return false and set errno unless all bytes were copied. */
bool rs_attach_read(pid_t pid, uint64_t address, void *into, size_t bytes);
bool rs_attach_write(pid_t pid, uint64_t address, const void *from, size_t bytes);

/* Fill the list of objects. Return false and set err if the program has no object whose markers can
 * be used. */
bool rs_attach_find(struct rs_attach *attach, struct rs_err *err);

/* Return true if the program still runs. */
bool rs_attach_runs(const struct rs_attach *attach);

/* Return true if the program still runs and the object is still loaded. */
bool rs_attach_is_there(const struct rs_attach *attach, const struct rs_attach_object *object);

/* ---- attach_holder.c ---- */

/* The segment and the runtime that the holder offers, in the form that the program can open. */
struct rs_attach_place {
	char segment[96]; /* the segment, in the format of RS_SEGMENT_ENV */
	char runtime[752]; /* the path of the runtime's file */
};

/* Start the holder if the program needs it, and fill place. Return false and set err if the holder
 * cannot enter the program's namespaces. */
bool rs_attach_hold(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_attach_place *place, struct rs_err *err);

/* Return false if the holder has ended. */
bool rs_attach_is_held(struct rs_attach *attach);

/* End the holder, if it runs. */
void rs_attach_release(struct rs_attach *attach);

/* ---- attach_signals.c ---- */

/* Fill request->signals_ with the signals that have a handler. Fill request->threads_ with the
 * threads that seem to block such a signal always, or always outside of ppoll(2) and similar system
 * calls. Return the signals that have a handler and that no thread blocks in this way. This takes
 * up to 10 ms. If such a thread is busy, it takes up to 70 ms. */
uint64_t rs_attach_find_signals(pid_t pid, struct regionstat_request_1_ *request);

/* ---- attach_refuse.c ---- */

/* Set err to the reason why access to a process failed with the errno `number`. Return false. */
bool rs_attach_refuse(pid_t pid, int number, struct rs_err *err);

/* Return true if a process is stopped, or its cgroup is frozen. */
bool rs_attach_is_stopped(pid_t pid);

/* Return true if a process is in the same namespace as this process, or if that is unknown. kind is
 * the kind of the namespace, such as "mnt". */
bool rs_attach_has_our_namespace(pid_t pid, const char *kind);

/* Fill value with a field of /proc/PID/status. Return false if there is no such field. */
bool rs_attach_status(pid_t pid, const char *name, char *value, size_t bytes);

/* Return the id of a process or thread in its own pid namespace, which its marker header uses. */
uint32_t rs_attach_own_id(pid_t id);

#endif
