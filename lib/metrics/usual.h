/* SPDX-License-Identifier: MIT */
/*
 * The file files/usual.yaml, part of the command: reports show its metrics unasked, wherever
 * the files lie.
 */
#ifndef RS_METRICS_USUAL_H
#define RS_METRICS_USUAL_H

extern const char rs_metrics_usual_text[];

#endif
