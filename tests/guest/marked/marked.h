/* SPDX-License-Identifier: MIT */
/*
 * The functions that main.c needs of each of the other files, which have the markers of one API
 * each: three nested regions, "outer", "middle" and "inner".
 */
#ifndef RS_GUEST_MARKED_H
#define RS_GUEST_MARKED_H

enum marked_region { MARKED_OUTER, MARKED_MIDDLE, MARKED_INNER };

static const char *const marked_names[] = {"outer", "middle", "inner"};

/* The API's initialization; called once, before any thread begins. */
void marked_start(void);

/* Call body as a call of that region, on the calling thread. Any thread. */
void marked_call(enum marked_region region, void (*body)(void));

#endif
