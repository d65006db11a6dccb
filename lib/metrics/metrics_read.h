/* SPDX-License-Identifier: MIT */
/*
 * From a document to metrics. Of metrics.c alone.
 */
#ifndef RS_METRICS_METRICS_READ_H
#define RS_METRICS_METRICS_READ_H

#include "metrics/metrics.h"

/* Add the metrics of a document, which must outlive them. False, with err filled: what is wrong. */
bool rs_metrics_read(struct rs_metrics *metrics, const struct rs_yaml *yaml, struct rs_err *err);

#endif
