/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that are captured: their calls become nodes of a graph. A stream, or an event that was
 * recorded in one, is at a point of a capture: the nodes that what comes next depends on. A stream
 * that waits for such an event belongs to the capture, too.
 */
#ifndef CGPU_EMULATOR_CU_CAPTURE_H
#define CGPU_EMULATOR_CU_CAPTURE_H

#include "emulator/driver/device/gpu.h"

struct capture;

struct capture_point {
	struct capture *capture;    /* NULL: none */
	struct capture_point *next; /* of the same capture */
	CUgraphNode *last;
	size_t n, cap;
};

/* The stream is captured: its calls become nodes. */
bool capture_is_on(CUstream s);
/* As the next node of a captured stream. */
CUresult capture_add(CUstream s, const CUgraphNodeParams *params);
/* A call that cannot be captured spoils the capture of the stream; not captured: CUDA_SUCCESS. */
CUresult capture_refuse(CUstream s);
/* A copy as it is captured. */
CUresult capture_copy(CUstream s, const CUDA_MEMCPY3D *c);

/* `to` is where `from` is; one that is in no capture leaves its own. */
CUresult capture_record(struct capture_point *to, const struct capture_point *from);
/* The next node at `to` depends on the nodes that `from` is behind, too. */
CUresult capture_join(struct capture_point *to, const struct capture_point *from);
void capture_leave(struct capture_point *p);

#endif
