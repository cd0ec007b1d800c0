/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%trace: while it is on, the driver's table is wrapped, so that each copy, fill, launch and wait
 * of a cell is noted, and the ledger tells what is allocated and freed. The work of a stream stands
 * between two events of the driver, so its times are those of the device, on a real one as on the
 * emulated one.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_TRACE_H
#define CGPU_RUNTIME_CUDA_REPORTS_TRACE_H

#include <cuda.h>

struct buffer;
struct error;
struct ledger_request;
struct session_buffer;

/* device_trace_begin() and its kin of runtime/cuda/device.h. */
int trace_begin(struct error *err);
void trace_stop(void);
int trace_take(struct buffer *ret, struct error *err);

/* This thread works for the function of the API with this name, which lives on. */
void trace_call(const char *call);
void trace_allocation(const struct session_buffer *b);
/* Memory was asked for and not given. */
void trace_refusal(const struct ledger_request *r, CUresult why);
void trace_free(const struct session_buffer *b);
/* Between the two what this thread does is not the cell's; nests. */
void trace_hide(void);
void trace_unhide(void);

#endif
