/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API: the capture of streams, from its beginning to its end. What belongs to one:
 * session/capture.c. */
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"

/* g: that the nodes are added to; NULL: a new one. */
static cudaError_t begin(cudaStream_t stream, struct session_graph *g, const cudaGraphNode_t *deps,
			 size_t n_deps, enum cudaStreamCaptureMode mode)
{
	struct session_stream *s = session_find_stream(stream);
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

		result = n && n->graph == g ? capture_add_last(&s->last, n) : cudaErrorInvalidValue;
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

static cudaError_t end(cudaStream_t stream, cudaGraph_t *ret)
{
	struct session_stream *s = session_find_stream(stream);
	struct session_graph *g = s ? s->capture : NULL;
	cudaError_t result = cudaSuccess;

	if (!g)
		return s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
	/* A caller that has the graph already need not be told. */
	if (!ret && !s->into_graph)
		return cudaErrorInvalidValue;
	if (ret)
		*ret = NULL;
	if (!s->origin)
		return cudaErrorStreamCaptureUnmatched;
	if (g->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(g->thread, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	device_lock();
	if (!capture_leave(s))
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
		result = capture_check_legacy();
	if (!result)
		*ret = status_of(capture_find(stream));
	return result;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	return CUDART_CALL(ret ? is_capturing(stream, ret) : cudaErrorInvalidValue);
}

/* The places for answers; NULL: one is not wanted. */
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

	s = result ? NULL : capture_find(stream);
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
	struct session_stream *s = capture_find(stream);
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
		result = capture_add_last(&s->last, (struct session_node *)deps[i]);
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

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	return CUDART_CALL(capture_exchange_mode(mode));
}
