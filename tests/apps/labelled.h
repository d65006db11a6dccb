/* SPDX-License-Identifier: MIT */
/* The data that labelled.c passes to label_reader.c. */
#ifndef LABELLED_H
#define LABELLED_H

#include <sys/types.h>

#define LABEL_NAME_BYTES 128
#define LABEL_THREADS 4

/* The regions of a thread before and after the marker in progress; 0: none. */
struct label_truth {
	volatile int tid; /* 0: unknown now */
	volatile unsigned from, to;
	/* The region around, in a NEXT: a NEXT after a skipped call is an END and a BEGIN. */
	volatile unsigned between;
	volatile unsigned n; /* markers so far */
};

struct label_message {
	pid_t pid;
	void *truths; /* [LABEL_THREADS] */
	void *names; /* [n_names][LABEL_NAME_BYTES] */
	unsigned n_names;
};

#endif
