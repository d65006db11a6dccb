/* SPDX-License-Identifier: MIT */
/* Conversion of a YAML document to metrics. Only metrics.c includes this file. */
#ifndef RS_METRICS_METRICS_READ_H
#define RS_METRICS_METRICS_READ_H

#include "metrics/metrics.h"

/* Add the metrics of a document, which must stay valid as long as they are used. Return false and
 * set err if it is invalid. */
bool rs_metrics_read(struct rs_metrics *metrics, const struct rs_yaml *yaml, struct rs_err *err);

#endif
