/* SPDX-License-Identifier: MIT */
/*
 * What main.c asks of each of the files beside it, which have the markers of one API each: three
 * regions within each other, "outer", "middle" and "inner".
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
