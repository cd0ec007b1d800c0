/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs put in order and run. Each lane of the order has a stream; the first one is the stream
 * that the graph is launched in, when its nodes are of the same device. Lanes begin behind what is
 * in that stream, and what comes behind the graph there waits for all of them.
 */
#include "emulator/driver/graph/graph.h"

#include <stdlib.h>

#include "common/graph-order.h"
#include "emulator/driver/api/cu-context.h"
#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/graph/graph-content.h"
#include "emulator/driver/stream/cu-stream.h"

static uint32_t dependency(const void *graph, uint32_t node, uint32_t i)
{
	const struct CUgraphNode_st *n = ((const struct CUgraph_st *)graph)->nodes[node];

	return i < n->n_deps ? (uint32_t)n->deps[i]->number : GRAPH_NO_NODE;
}

static uint32_t place(const void *graph, uint32_t node)
{
	return (uint32_t)((const struct CUgraph_st *)graph)->nodes[node]->device;
}

CUresult graph_put_in_order(CUgraph g)
{
	struct graph_order_source source = { g, (uint32_t)g->n, dependency, place };
	struct graph_step *steps = calloc(g->n + 1, sizeof(*steps));
	int lanes = steps ? graph_order(&source, steps) : GRAPH_ORDER_MEMORY;
	CUstream *streams = lanes >= 0 ? calloc((size_t)lanes + 1, sizeof(*streams)) : NULL;
	CUresult result = lanes == GRAPH_ORDER_CIRCLE ? CUDA_ERROR_INVALID_VALUE
			  : streams                   ? CUDA_SUCCESS
						      : CUDA_ERROR_OUT_OF_MEMORY;

	for (size_t i = 0; i < g->n && !result; i++) {
		size_t n_inner;
		CUgraph *inner = graph_inner(g->nodes[i], &n_inner);

		for (size_t k = 0; k < n_inner && !result; k++)
			result = graph_put_in_order(inner[k]);
	}
	if (result) {
		free(steps);
		free(streams);
		return result;
	}
	graph_release_order(g);
	g->steps = steps;
	g->lanes = streams;
	g->n_lanes = (unsigned)lanes;
	return CUDA_SUCCESS;
}

void graph_release_order(CUgraph g)
{
	for (unsigned i = 0; i < g->n_lanes; i++)
		if (g->lanes[i])
			cuStreamDestroy(g->lanes[i]);
	free(g->steps);
	free(g->lanes);
	g->steps = NULL;
	g->lanes = NULL;
	g->n_lanes = 0;
}

/* One launch. */
struct run {
	CUgraph graph;
	CUstream stream;     /* that it is launched in */
	struct work *start;  /* what is before it there; NULL: nothing */
	CUstream *lanes;     /* NULL: not begun */
	struct work **marks; /* behind each node that is awaited by another lane */
};

/* With the context of a node's device. */
static CUresult enter_device(const struct CUgraphNode_st *n, bool *ret_switched)
{
	*ret_switched = context_device() != n->device;
	return *ret_switched ? cuCtxPushCurrent(n->context) : CUDA_SUCCESS;
}

static CUresult begin_lane(struct run *r, uint32_t lane, const struct CUgraphNode_st *n)
{
	CUresult result = CUDA_SUCCESS;

	if (!lane && cu_stream_queue(r->stream)->device == n->device) {
		r->lanes[lane] = r->stream;
		return CUDA_SUCCESS;
	}
	if (!r->graph->lanes[lane])
		result = cuStreamCreate(&r->graph->lanes[lane], CU_STREAM_NON_BLOCKING);
	if (!result)
		result = queue_after(cu_stream_queue(r->graph->lanes[lane]), r->start);
	if (!result)
		r->lanes[lane] = r->graph->lanes[lane];
	return result;
}

static CUresult run_step(struct run *r, const struct graph_step *s)
{
	CUgraphNode n = r->graph->nodes[s->node];
	bool switched;
	CUresult result = enter_device(n, &switched);

	if (result)
		return result;
	if (!r->lanes[s->lane])
		result = begin_lane(r, s->lane, n);
	for (size_t i = 0; i < n->n_deps && !result; i++)
		result = queue_after(cu_stream_queue(r->lanes[s->lane]),
				     r->marks[n->deps[i]->number]);
	if (!result && !n->disabled)
		result = graph_content_run(n, r->lanes[s->lane]);
	if (!result && s->awaited)
		result = queue_mark(cu_stream_queue(r->lanes[s->lane]), &r->marks[s->node]);
	if (switched)
		cuCtxPopCurrent(NULL);
	return result;
}

static CUresult join(struct run *r)
{
	CUresult result = CUDA_SUCCESS;
	struct work *last;

	for (unsigned i = 0; i < r->graph->n_lanes && !result; i++) {
		if (!r->lanes[i] || r->lanes[i] == r->stream)
			continue;
		result = queue_mark(cu_stream_queue(r->lanes[i]), &last);
		if (!result)
			result = queue_after(cu_stream_queue(r->stream), last);
		work_release(last);
	}
	return result;
}

static CUresult run_lanes(CUgraph g, CUstream stream)
{
	struct run r = { .graph = g, .stream = stream };
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY, joined;

	r.lanes = calloc(g->n_lanes, sizeof(*r.lanes));
	r.marks = calloc(g->n, sizeof(*r.marks));
	if (r.lanes && r.marks)
		result = queue_mark(cu_stream_queue(stream), &r.start);
	for (size_t i = 0; i < g->n && !result; i++)
		result = run_step(&r, &g->steps[i]);
	/* What has begun is of the stream, also when the rest of it failed. */
	joined = r.lanes && r.marks ? join(&r) : CUDA_SUCCESS;
	for (size_t i = 0; r.marks && i < g->n; i++)
		work_release(r.marks[i]);
	work_release(r.start);
	free(r.lanes);
	free(r.marks);
	return result ? result : joined;
}

CUresult graph_run(CUgraph g, CUstream stream)
{
	CUresult result = graph_preset(g, stream);

	if (result || !g->n)
		return result;
	if (g->n_lanes > 1 || g->nodes[0]->device != cu_stream_queue(stream)->device)
		return run_lanes(g, stream);
	for (size_t i = 0; i < g->n && !result; i++)
		if (!g->nodes[g->steps[i].node]->disabled)
			result = graph_content_run(g->nodes[g->steps[i].node], stream);
	return result;
}
