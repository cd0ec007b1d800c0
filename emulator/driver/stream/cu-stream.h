/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the driver API as the calls that give them work see them. */
#ifndef CGPU_EMULATOR_CU_STREAM_H
#define CGPU_EMULATOR_CU_STREAM_H

#include "emulator/driver/device/queue.h"
#include "emulator/driver/graph/cu-capture.h"

/* Its queue; NULL when the handle is none. NULL and CU_STREAM_LEGACY: of the current device, in
 * order with its streams. */
struct queue *cu_stream_queue(CUstream s);
/* Where it is in a capture, or would be; NULL: the legacy stream, or none, which cannot be
 * captured. */
struct capture_point *cu_stream_point(CUstream s);
/* Until what is in the queue is done; the fault that is then to be delivered. */
CUresult cu_stream_wait(struct queue *q);

#endif
