/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API, chapter Stream Management: capture of streams. */
#include "emulator/driver/stream/cu-capture.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "emulator/driver/graph/graph.h"
#include "emulator/driver/stream/cu-stream.h"

struct capture {
	CUgraph graph;
	cuuint64_t id;
	struct capture_point *points; /* of streams and events */
	struct capture_point *origin;
	bool into_graph; /* which was there before */
	bool spoilt;
};

static _Atomic cuuint64_t next_id = 1;
static _Thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool capture_is_on(CUstream s)
{
	const struct capture_point *p = cu_stream_point(s);

	return p && p->capture;
}

static void enter(struct capture_point *p, struct capture *c)
{
	p->capture = c;
	p->next = c->points;
	c->points = p;
}

void capture_leave(struct capture_point *p)
{
	struct capture_point **at;

	if (!p->capture)
		return;
	for (at = &p->capture->points; *at != p; at = &(*at)->next)
		;
	*at = p->next;
	if (p->capture->origin == p)
		p->capture->origin = NULL;
	free(p->last);
	*p = (struct capture_point){ 0 };
}

/* The graph, when it was made for the capture, is the caller's. */
static void end(struct capture *c)
{
	while (c->points)
		capture_leave(c->points);
	free(c);
}

static CUresult stand_behind(struct capture_point *p, CUgraphNode n)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->last[i] == n)
			return CUDA_SUCCESS;
	if (!ARRAY_ROOM(p->last, p->n, &p->cap))
		return CUDA_ERROR_OUT_OF_MEMORY;
	p->last[p->n++] = n;
	return CUDA_SUCCESS;
}

static CUresult spoil(struct capture *c, CUresult result)
{
	c->spoilt = true;
	return result;
}

CUresult capture_refuse(CUstream s)
{
	return capture_is_on(s)
		       ? spoil(cu_stream_point(s)->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
		       : CUDA_SUCCESS;
}

CUresult capture_add(CUstream s, const CUgraphNodeParams *params)
{
	struct capture_point *p = cu_stream_point(s);
	CUgraphNode node;
	CUresult result;

	if (p->capture->spoilt)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	result = graph_add(p->capture->graph, params, p->last, p->n, &node);
	if (!result) {
		p->n = 0;
		result = stand_behind(p, node);
	}
	return result ? spoil(p->capture, result) : CUDA_SUCCESS;
}

CUresult capture_copy(CUstream s, const CUDA_MEMCPY3D *c)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy.copyParams = *c };

	return capture_add(s, &params);
}

CUresult capture_record(struct capture_point *to, const struct capture_point *from)
{
	capture_leave(to);
	if (!from || !from->capture)
		return CUDA_SUCCESS;
	enter(to, from->capture);
	return capture_join(to, from);
}

CUresult capture_join(struct capture_point *to, const struct capture_point *from)
{
	CUresult result = CUDA_SUCCESS;

	if (!to->capture)
		enter(to, from->capture);
	if (to->capture != from->capture) {
		from->capture->spoilt = true;
		return spoil(to->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
	}
	for (size_t i = 0; i < from->n && !result; i++)
		result = stand_behind(to, from->last[i]);
	return result;
}

/* ---- begin and end ---- */

static CUresult begin(const char *call, CUstream s, CUgraph into, const CUgraphNode *deps, size_t n,
		      CUstreamCaptureMode how)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);
	struct capture_point *p = cu_stream_point(s);
	struct capture *c;

	if (result)
		return result;
	if (!cu_stream_queue(s))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!p)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (p->capture || (n && !deps) || (unsigned)how > CU_STREAM_CAPTURE_MODE_RELAXED)
		return p->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (!graph_node_valid(deps[i]) || deps[i]->graph != into)
			return CUDA_ERROR_INVALID_VALUE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->into_graph = into;
	c->graph = into ? into : graph_new();
	c->id = next_id++;
	c->origin = p;
	enter(p, c);
	result = c->graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < n && !result; i++)
		result = stand_behind(p, deps[i]);
	if (result)
		end(c);
	return result;
}

CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode how)
{
	return begin("cuStreamBeginCapture", s, NULL, NULL, 0, how);
}

CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph g, const CUgraphNode *deps,
				     const CUgraphEdgeData *data, size_t n, CUstreamCaptureMode how)
{
	(void)data;
	return graph_valid(g) ? begin("cuStreamBeginCaptureToGraph", s, g, deps, n, how)
			      : CUDA_ERROR_INVALID_VALUE;
}

static bool has_dependent(CUgraphNode n)
{
	for (size_t i = 0; i < n->graph->n; i++)
		if (graph_depends(n->graph->nodes[i], n))
			return true;
	return false;
}

/* Another stream's last node that nothing depends on, and that the origin is not behind. */
static bool is_unjoined(const struct capture *c)
{
	for (const struct capture_point *p = c->points; p; p = p->next) {
		if (p == c->origin)
			continue;
		for (size_t i = 0; i < p->n; i++) {
			size_t k = 0;

			while (k < c->origin->n && c->origin->last[k] != p->last[i])
				k++;
			if (k == c->origin->n && !has_dependent(p->last[i]))
				return true;
		}
	}
	return false;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *ret)
{
	CUresult result = gpu_enter("cuStreamEndCapture", GPU_CALL_ASYNC);
	struct capture_point *p = cu_stream_point(s);
	struct capture *c = p ? p->capture : NULL;

	if (result)
		return result;
	if (!c)
		return CUDA_ERROR_ILLEGAL_STATE;
	/* Who has the graph already need not be told. */
	if (!ret && !c->into_graph)
		return CUDA_ERROR_INVALID_VALUE;
	if (c->origin != p)
		return spoil(c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	if (ret)
		*ret = NULL;
	if (c->spoilt)
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (is_unjoined(c))
		result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	if (!result && ret)
		*ret = c->graph;
	else if (result && !c->into_graph)
		graph_free(c->graph);
	end(c);
	return result;
}

/* ---- questions ---- */

static CUstreamCaptureStatus status_of(const struct capture_point *p)
{
	if (!p || !p->capture)
		return CU_STREAM_CAPTURE_STATUS_NONE;
	return p->capture->spoilt ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
				  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *ret)
{
	CUresult result = gpu_enter("cuStreamIsCapturing", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_stream_queue(s))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = status_of(cu_stream_point(s));
	return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
				CUgraph *graph, const CUgraphNode **deps,
				const CUgraphEdgeData **data, size_t *n)
{
	CUresult result = cuStreamIsCapturing(s, status);
	const struct capture_point *p = cu_stream_point(s);

	if (result || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return result;
	if (id)
		*id = p->capture->id;
	if (graph)
		*graph = p->capture->graph;
	if (deps)
		*deps = p->last;
	if (data)
		*data = NULL;
	if (n)
		*n = p->n;
	return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps,
					   const CUgraphEdgeData *data, size_t n,
					   unsigned int flags)
{
	CUresult result = gpu_enter("cuStreamUpdateCaptureDependencies", GPU_CALL_ASYNC);
	struct capture_point *p = cu_stream_point(s);

	(void)data;
	if (result)
		return result;
	if (!p || !p->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if ((n && !deps) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (!graph_node_valid(deps[i]) || deps[i]->graph != p->capture->graph)
			return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		p->n = 0;
	for (size_t i = 0; i < n && !result; i++)
		result = stand_behind(p, deps[i]);
	return result;
}

/* Calls that a mode would refuse in a capture are allowed here: it is kept for who asks. */
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *how)
{
	CUstreamCaptureMode before = mode;

	if (!how || (unsigned)*how > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	mode = *how;
	*how = before;
	return CUDA_SUCCESS;
}
