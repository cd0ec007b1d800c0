/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A captured stream knows the nodes that its next one depends on; an event that is recorded in it
 * takes them along, and a stream that waits for the event joins. What cannot be captured spoils the
 * capture, and cudaStreamEndCapture() then says so.
 */
#include "runtime/cuda/session/capture.h"

#include <pthread.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/session.h"

static _Thread_local enum cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

struct session_stream *capture_find(cudaStream_t stream)
{
	struct session_stream *s = device.session->captures ? session_find_stream(stream) : NULL;

	return s && s->capture ? s : NULL;
}

cudaError_t capture_add_last(struct session_array *last, struct session_node *n)
{
	struct session_node **slot;

	for (uint32_t i = 0; i < last->n; i++)
		if (*session_at(last, struct session_node *, i) == n)
			return cudaSuccess;
	slot = session_append(last, struct session_node *);
	if (slot)
		*slot = n;
	return slot ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t add_all(struct session_array *last, const struct session_array *from)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < from->n && !result; i++)
		result = capture_add_last(last, *session_at(from, struct session_node *, i));
	return result;
}

bool capture_record(cudaEvent_t event, cudaStream_t stream, cudaError_t *ret)
{
	struct session_stream *s = capture_find(stream);
	struct session_event *e = session_find_event(event);

	if (!e || (!s && !e->capture))
		return false;
	device_lock();
	session_array_clear(&e->last);
	e->capture = s ? s->capture : NULL;
	*ret = s ? add_all(&e->last, &s->last) : cudaSuccess;
	device_unlock();
	return s;
}

bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *ret)
{
	const struct session_event *e = session_find_event(event);
	struct session_stream *s = device.session->captures ? session_find_stream(stream) : NULL;

	if (!s || !e || (!s->capture && !e->capture))
		return false;
	device_lock();
	if (s->capture && s->capture != e->capture) {
		/* The event is of no capture, or of another one. */
		*ret = e->capture ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
		s->capture->spoilt = true;
	} else {
		s->capture = e->capture;
		*ret = add_all(&s->last, &e->last);
	}
	device_unlock();
	return true;
}

cudaError_t capture_check_event(cudaEvent_t event)
{
	struct session_event *e = device.session->captures ? session_find_event(event) : NULL;

	if (!e || !e->capture)
		return cudaSuccess;
	e->capture->spoilt = true;
	return cudaErrorCapturedEvent;
}

/* Each captured stream, NULL behind the last one. */
static struct session_stream *next_captured(uint32_t *i)
{
	const struct session_array *a = &device.session->streams;

	while (*i < a->n) {
		struct session_stream *s = *session_at(a, struct session_stream *, (*i)++);

		if (s->capture)
			return s;
	}
	return NULL;
}

cudaError_t capture_check_legacy(void)
{
	cudaError_t result = cudaSuccess;
	struct session_stream *s;

	for (uint32_t i = 0; (s = next_captured(&i));) {
		if (s->flags & cudaStreamNonBlocking)
			continue;
		s->capture->spoilt = true;
		result = cudaErrorStreamCaptureImplicit;
	}
	return result;
}

cudaError_t capture_check_stream(cudaStream_t stream)
{
	struct session_stream *s = capture_find(stream);

	if (!device.session->captures)
		return cudaSuccess;
	if (s) {
		s->capture->spoilt = true;
		return cudaErrorStreamCaptureUnsupported;
	}
	return stream == NULL || stream == cudaStreamLegacy ? capture_check_legacy() : cudaSuccess;
}

cudaError_t capture_check_call(bool legacy)
{
	cudaError_t result = cudaSuccess;
	struct session_stream *s;

	if (!device.session->captures)
		return cudaSuccess;
	if (legacy)
		result = capture_check_legacy();
	for (uint32_t i = 0;
	     !result && own_mode != cudaStreamCaptureModeRelaxed && (s = next_captured(&i));) {
		const struct session_graph *g = s->capture;

		if (g->mode != cudaStreamCaptureModeGlobal &&
		    !(g->mode == cudaStreamCaptureModeThreadLocal &&
		      pthread_equal(g->thread, pthread_self())))
			continue;
		s->capture->spoilt = true;
		result = cudaErrorStreamCaptureUnsupported;
	}
	return result;
}

/* n is `of` or comes before it. */
static bool is_before(const struct session_node *n, const struct session_node *of)
{
	if (n == of)
		return true;
	/* A captured node depends on earlier ones only. */
	for (uint32_t k = 0; n->number < of->number && k < of->deps.n; k++)
		if (is_before(n, *session_at(&of->deps, struct session_node *, k)))
			return true;
	return false;
}

/* All that another stream did last comes before what the first one did last. */
static bool is_joined(const struct session_stream *other, const struct session_stream *origin)
{
	for (uint32_t i = 0; i < other->last.n; i++) {
		bool found = false;

		for (uint32_t k = 0; k < origin->last.n && !found; k++)
			found = is_before(*session_at(&other->last, struct session_node *, i),
					  *session_at(&origin->last, struct session_node *, k));
		if (!found)
			return false;
	}
	return true;
}

/* The stream in which a capture began. */
static const struct session_stream *origin_of(const struct session_graph *g)
{
	const struct session_array *a = &device.session->streams;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_stream *s = *session_at(a, struct session_stream *, i);

		if (s->capture == g && s->origin)
			return s;
	}
	return NULL;
}

/* One that another stream has joined may go, the rest of the capture needs it no more. */
void capture_forget_stream(struct session_stream *s)
{
	const struct session_stream *origin =
		s->capture && !s->origin ? origin_of(s->capture) : NULL;

	if (s->capture) {
		s->capture->spoilt |= !origin || !is_joined(s, origin);
		if (s->origin)
			device.session->captures--;
	}
	session_array_clear(&s->last);
}

void capture_forget_event(struct session_event *e)
{
	session_array_clear(&e->last);
}

bool capture_leave(struct session_stream *origin)
{
	struct session_graph *g = origin->capture;
	bool joined = true;

	for (uint32_t i = 0; i < device.session->streams.n; i++) {
		struct session_stream *s =
			*session_at(&device.session->streams, struct session_stream *, i);

		if (s->capture != g || s == origin)
			continue;
		joined &= is_joined(s, origin);
		s->capture = NULL;
		session_array_clear(&s->last);
	}
	for (uint32_t i = 0; i < device.session->events.n; i++) {
		struct session_event *e =
			*session_at(&device.session->events, struct session_event *, i);

		if (e->capture != g)
			continue;
		e->capture = NULL;
		session_array_clear(&e->last);
	}
	origin->capture = NULL;
	origin->origin = false;
	session_array_clear(&origin->last);
	device.session->captures--;
	return joined;
}

cudaError_t capture_exchange_mode(enum cudaStreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode before = own_mode;

	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	own_mode = *mode;
	*mode = before;
	return cudaSuccess;
}
