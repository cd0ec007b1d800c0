/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which streams are captured, and which events and streams belong to a capture. The calls that can
 * be captured ask capture_find() first; all others ask capture_check_stream() or
 * capture_check_call(). Only add_last, forget and leave want device.lock to be held.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_CAPTURE_H
#define CGPU_RUNTIME_CUDA_SESSION_CAPTURE_H

#include <stdbool.h>

#include <driver_types.h>

struct session_array;
struct session_event;
struct session_node;
struct session_stream;

/* The stream as one that is captured; NULL: its calls run. */
struct session_stream *capture_find(cudaStream_t stream);
/* A node to those that the next one depends on. */
cudaError_t capture_add_last(struct session_array *last, struct session_node *n);

/* An event that is recorded in a captured stream takes streams that wait for it into the capture.
 * False: it is none of those. */
bool capture_record(cudaEvent_t event, cudaStream_t stream, cudaError_t *ret);
bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *ret);
/* The event belongs to a capture: cudaErrorCapturedEvent for who asks for it, and the capture is
 * spoilt. */
cudaError_t capture_check_event(cudaEvent_t event);
/*
 * A call that cannot be captured, while something is: of a captured stream, in the legacy default
 * stream (legacy), or one that is refused to the threads that a capture's mode names.
 */
cudaError_t capture_check_stream(cudaStream_t stream);
cudaError_t capture_check_call(bool legacy);
/* The legacy default stream waits for blocking streams, and captured ones cannot be waited for. */
cudaError_t capture_check_legacy(void);

/* The stream or event goes. */
void capture_forget_stream(struct session_stream *s);
void capture_forget_event(struct session_event *e);
/* All streams and events that have joined the capture of this stream leave; false: one has done
 * something that nothing waits for. */
bool capture_leave(struct session_stream *origin);

/* The mode of this thread and *mode change places. */
cudaError_t capture_exchange_mode(enum cudaStreamCaptureMode *mode);

#endif
