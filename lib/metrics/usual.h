/* SPDX-License-Identifier: MIT */
/*
 * The text of files/usual.yaml, which defines the metrics that reports show even without -M. The
 * text is compiled into the command, so that these metrics do not depend on installed files.
 */
#ifndef RS_METRICS_USUAL_H
#define RS_METRICS_USUAL_H

extern const char rs_metrics_usual_text[];

#endif
