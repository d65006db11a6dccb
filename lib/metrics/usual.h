/* SPDX-License-Identifier: MIT */
/*
 * The text of files/usual.yaml. It is compiled into the command, so that reports show these metrics
 * even if the metric files are missing.
 */
#ifndef RS_METRICS_USUAL_H
#define RS_METRICS_USUAL_H

extern const char rs_metrics_usual_text[];

#endif
