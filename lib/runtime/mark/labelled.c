/* SPDX-License-Identifier: MIT */
/* The markers of runs with --labels: marker.c, compiled with the instructions of calls/labels.h. */
#define RS_LABELS 1
#include "runtime/mark/marker.c"
