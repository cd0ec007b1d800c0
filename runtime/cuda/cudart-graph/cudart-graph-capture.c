/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API: the capture of streams. A captured stream knows the nodes that its next one depends
 * on; an event that is recorded in it takes them along, and a stream that waits for the event
 * joins. What cannot be captured spoils the capture, and cudaStreamEndCapture() then says so.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/handles.h"

static _Thread_local enum cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

struct session_stream *graphs_capturing(cudaStream_t stream)
{
	struct session_stream *s = device.session->captures ? handles_stream_look(stream) : NULL;

	return s && s->capture ? s : NULL;
}

static cudaError_t add_last(struct session_array *last, struct session_node *n)
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
		result = add_last(last, *session_at(from, struct session_node *, i));
	return result;
}

cudaError_t graphs_capture(struct session_stream *s, const struct session_node *n)
{
	struct session_node *made;
	cudaError_t result;

	device_lock();
	result = s->capture->spoilt ? cudaErrorStreamCaptureInvalidated
				    : graphs_add(s->capture, n, s->last.items, s->last.n, &made);
	if (!result) {
		made->device = s->device;
		session_array_clear(&s->last);
		result = add_last(&s->last, made);
	} else {
		graphs_release_content((struct session_node *)n);
	}
	device_unlock();
	return result;
}

cudaError_t graphs_capture_launch(struct session_stream *s, struct session_entry *e,
				  const struct session_launch *l, void **args)
{
	struct session_node n = { .kind = NODE_LAUNCH, .launch = *l };
	cudaError_t result;

	device_lock();
	result = graphs_launch_init(&n.launch, e, args);
	device_unlock();
	return result ? result : graphs_capture(s, &n);
}

bool graphs_record(cudaEvent_t event, cudaStream_t stream, cudaError_t *ret)
{
	struct session_stream *s = graphs_capturing(stream);
	struct session_event *e = handles_event_look(event);

	if (!e || (!s && !e->capture))
		return false;
	device_lock();
	session_array_clear(&e->last);
	e->capture = s ? s->capture : NULL;
	*ret = s ? add_all(&e->last, &s->last) : cudaSuccess;
	device_unlock();
	return s;
}

bool graphs_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *ret)
{
	const struct session_event *e = handles_event_look(event);
	struct session_stream *s = device.session->captures ? handles_stream_look(stream) : NULL;

	if (!s || !e || (!s->capture && !e->capture))
		return false;
	device_lock();
	if (s->capture && s->capture != e->capture) {
		/* Of no capture, or of another one. */
		*ret = e->capture ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
		s->capture->spoilt = true;
	} else {
		s->capture = e->capture;
		*ret = add_all(&s->last, &e->last);
	}
	device_unlock();
	return true;
}

cudaError_t graphs_check_event(cudaEvent_t event)
{
	struct session_event *e = device.session->captures ? handles_event_look(event) : NULL;

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

/* In the legacy default stream, which waits for blocking streams: captured ones cannot be waited
 * for. */
static cudaError_t check_legacy(void)
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

cudaError_t graphs_check_stream(cudaStream_t stream)
{
	struct session_stream *s = graphs_capturing(stream);

	if (!device.session->captures)
		return cudaSuccess;
	if (s) {
		s->capture->spoilt = true;
		return cudaErrorStreamCaptureUnsupported;
	}
	return stream == NULL || stream == cudaStreamLegacy ? check_legacy() : cudaSuccess;
}

cudaError_t graphs_check_call(bool legacy)
{
	cudaError_t result = cudaSuccess;
	struct session_stream *s;

	if (!device.session->captures)
		return cudaSuccess;
	if (legacy)
		result = check_legacy();
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

/* What another stream did last comes before what the first one did last. */
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

/* That a capture began in. */
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
void graphs_forget_stream(struct session_stream *s)
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

void graphs_forget_event(struct session_event *e)
{
	session_array_clear(&e->last);
}

/* g: that the nodes are added to; NULL: a new one. */
static cudaError_t begin(cudaStream_t stream, struct session_graph *g, const cudaGraphNode_t *deps,
			 size_t n_deps, enum cudaStreamCaptureMode mode)
{
	struct session_stream *s = handles_stream_look(stream);
	cudaError_t result = cudaSuccess;
	bool into_graph = g;
	CUstream real;

	if ((unsigned)mode > cudaStreamCaptureModeRelaxed || (n_deps && !deps))
		return cudaErrorInvalidValue;
	if (!s)
		return handles_stream(stream, &real) ? cudaErrorInvalidResourceHandle
						     : cudaErrorStreamCaptureUnsupported;
	if (s->capture)
		return cudaErrorIllegalState;
	device_lock();
	for (size_t i = 0; i < n_deps && !result; i++) {
		struct session_node *n = graphs_node(deps[i]);

		result = n && n->graph == g ? add_last(&s->last, n) : cudaErrorInvalidValue;
	}
	if (!result && !g && !(g = graphs_new(false)))
		result = cudaErrorMemoryAllocation;
	if (!result) {
		g->mode = mode;
		g->thread = pthread_self();
		g->spoilt = false;
		s->capture = g;
		s->origin = true;
		s->into_graph = into_graph;
		device.session->captures++;
	} else {
		session_array_clear(&s->last);
	}
	device_unlock();
	return result;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return CUDART_CALL(begin(stream, NULL, NULL, 0, mode));
}

static cudaError_t begin_to_graph(cudaStream_t stream, cudaGraph_t graph,
				  const cudaGraphNode_t *deps, size_t n_deps,
				  enum cudaStreamCaptureMode mode)
{
	struct session_graph *g = graphs_find(graph, false);

	return g ? begin(stream, g, deps, n_deps, mode) : cudaErrorInvalidValue;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
					  const cudaGraphNode_t *deps,
					  const cudaGraphEdgeData *data, size_t n_deps,
					  enum cudaStreamCaptureMode mode)
{
	(void)data;
	return CUDART_CALL(begin_to_graph(stream, graph, deps, n_deps, mode));
}

/* All streams and events that have joined leave; false: one has done something that nothing waits
 * for. */
static bool leave(struct session_stream *origin)
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

static cudaError_t end(cudaStream_t stream, cudaGraph_t *ret)
{
	struct session_stream *s = handles_stream_look(stream);
	struct session_graph *g = s ? s->capture : NULL;
	cudaError_t result = cudaSuccess;

	if (!g)
		return s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
	/* Who has the graph already need not be told. */
	if (!ret && !s->into_graph)
		return cudaErrorInvalidValue;
	if (ret)
		*ret = NULL;
	if (!s->origin)
		return cudaErrorStreamCaptureUnmatched;
	if (g->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(g->thread, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	device_lock();
	if (!leave(s))
		result = cudaErrorStreamCaptureUnjoined;
	if (g->spoilt)
		result = cudaErrorStreamCaptureInvalidated;
	if (result && !s->into_graph)
		graphs_free(g);
	device_unlock();
	if (!result && ret)
		*ret = (cudaGraph_t)g;
	return result;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *ret)
{
	return CUDART_CALL(end(stream, ret));
}

static enum cudaStreamCaptureStatus status_of(const struct session_stream *s)
{
	return !s || !s->capture    ? cudaStreamCaptureStatusNone
	       : s->capture->spoilt ? cudaStreamCaptureStatusInvalidated
				    : cudaStreamCaptureStatusActive;
}

static cudaError_t is_capturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	CUstream real;
	cudaError_t result = cudart_error(handles_stream(stream, &real));

	if (!result && (stream == NULL || stream == cudaStreamLegacy))
		result = check_legacy();
	if (!result)
		*ret = status_of(graphs_capturing(stream));
	return result;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	return CUDART_CALL(ret ? is_capturing(stream, ret) : cudaErrorInvalidValue);
}

/* Where each answer goes that is wanted. */
struct capture_info {
	enum cudaStreamCaptureStatus *status;
	unsigned long long *id;
	cudaGraph_t *graph;
	const cudaGraphNode_t **deps;
	const cudaGraphEdgeData **edges;
	size_t *n_deps;
};

static cudaError_t capture_info(cudaStream_t stream, const struct capture_info *ret)
{
	const struct session_stream *s;
	cudaError_t result =
		ret->status ? is_capturing(stream, ret->status) : cudaErrorInvalidValue;

	s = result ? NULL : graphs_capturing(stream);
	if (!s)
		return result;
	if (ret->id)
		*ret->id = (uintptr_t)s->capture;
	if (ret->graph)
		*ret->graph = (cudaGraph_t)s->capture;
	if (ret->deps)
		*ret->deps = s->last.items;
	if (ret->edges)
		*ret->edges = NULL;
	if (ret->n_deps)
		*ret->n_deps = s->last.n;
	return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
				     unsigned long long *id, cudaGraph_t *graph,
				     const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
				     size_t *n_deps)
{
	return CUDART_CALL(capture_info(
		stream, &(struct capture_info){ status, id, graph, deps, edges, n_deps }));
}

static cudaError_t update_dependencies(cudaStream_t stream, const cudaGraphNode_t *deps,
				       size_t n_deps, unsigned flags)
{
	struct session_stream *s = graphs_capturing(stream);
	cudaError_t result = cudaSuccess;

	if (!s)
		return cudaErrorIllegalState;
	if (flags > cudaStreamSetCaptureDependencies || (n_deps && !deps))
		return cudaErrorInvalidValue;
	device_lock();
	for (size_t i = 0; i < n_deps && !result; i++) {
		const struct session_node *n = graphs_node(deps[i]);

		result = n && n->graph == s->capture ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (!result && flags == cudaStreamSetCaptureDependencies)
		session_array_clear(&s->last);
	for (size_t i = 0; i < n_deps && !result; i++)
		result = add_last(&s->last, (struct session_node *)deps[i]);
	device_unlock();
	return result;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
						const cudaGraphEdgeData *data, size_t n_deps,
						unsigned int flags)
{
	(void)data;
	return CUDART_CALL(update_dependencies(stream, deps, n_deps, flags));
}

static cudaError_t exchange_mode(enum cudaStreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode before = own_mode;

	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	own_mode = *mode;
	*mode = before;
	return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	return CUDART_CALL(exchange_mode(mode));
}
