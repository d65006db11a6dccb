/* SPDX-License-Identifier: MIT */
/* ROCTx's functions as its published headers declare them: roctx.h of roctracer 4.1, and
 * rocprofiler-sdk for pauses and names. */
#ifndef ROCTX_H
#define ROCTX_H

#include <stdint.h>

typedef uint64_t roctx_range_id_t;
typedef uint64_t roctx_thread_id_t;

void roctxMarkA(const char *message);
int roctxRangePushA(const char *message);
int roctxRangePop(void);
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);
int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);
int roctxNameOsThread(const char *name);
int roctxGetThreadId(roctx_thread_id_t *tid);

#define roctxMark(message) roctxMarkA(message)
#define roctxRangePush(message) roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

#endif
