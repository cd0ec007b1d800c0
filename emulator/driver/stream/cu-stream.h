/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the driver API as the calls that give them work see them. */
#ifndef CGPU_EMULATOR_CU_STREAM_H
#define CGPU_EMULATOR_CU_STREAM_H

#include "emulator/driver/device/queue.h"
#include "emulator/driver/stream/cu-capture.h"

#define CU_STREAM_MAGIC 0x5354524dull

struct CUstream_st {
	uint64_t magic;
	unsigned flags;
	int priority;
	struct queue *queue;
	CUcontext context;
	struct capture_point point;
};

/* The default streams have reserved values: null, legacy (1) and per thread (2). */
bool cu_stream_is_default(CUstream s);
bool cu_stream_valid(CUstream s);
/* The start of a call that asks a stream: it must be one, and a place for the answer be given. */
CUresult cu_stream_ask(const char *call, CUstream s, const void *ret);
/* Its queue; NULL when the handle is none. NULL and CU_STREAM_LEGACY: of the current device, in
 * order with its streams. */
struct queue *cu_stream_queue(CUstream s);
/* Its place in a capture, if it is in one; NULL: the legacy stream, or none, which cannot be
 * captured. */
struct capture_point *cu_stream_point(CUstream s);
/* Until what is in the queue is done; the fault that is then to be delivered. */
CUresult cu_stream_wait(struct queue *q);

#endif
