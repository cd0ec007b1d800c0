/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs that are in order are run. Each lane of the order has a stream; the first one is the
 * stream that the graph is launched in, when its nodes are of the same device. Lanes begin behind
 * what is in that stream, and what comes behind the graph there waits for all of them.
 */
#include "emulator/driver/graph-run/graph-run.h"

#include <stdlib.h>

#include "common/cuda/graph-order.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/graph-run/graph-node-run.h"
#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/memory/graph-memory.h"
#include "emulator/driver/stream/cu-stream.h"

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
	r->graph->end_lane = cuStreamDestroy;
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
		result = graph_node_run(n, r->lanes[s->lane]);
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
	/* Nodes that have begun are of the stream, also when the rest of them failed. */
	joined = r.lanes && r.marks ? join(&r) : CUDA_SUCCESS;
	for (size_t i = 0; r.marks && i < g->n; i++)
		work_release(r.marks[i]);
	work_release(r.start);
	free(r.lanes);
	free(r.marks);
	return result ? result : joined;
}

/* Values of conditions as a run begins, of a body as of the whole. */
static CUresult preset(CUgraph g, CUstream stream)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < g->n_conditions && !result; i++)
		if (g->conditions[i].flags & CU_GRAPH_COND_ASSIGN_DEFAULT)
			result = cuMemsetD32Async(g->conditions[i].memory->address,
						  g->conditions[i].preset, 1, stream);
	return result;
}

CUresult graph_run(CUgraph g, CUstream stream)
{
	CUresult result = preset(g, stream);

	if (result || !g->n)
		return result;
	if (g->n_lanes > 1 || g->nodes[0]->device != cu_stream_queue(stream)->device)
		return run_lanes(g, stream);
	for (size_t i = 0; i < g->n && !result; i++)
		if (!g->nodes[g->steps[i].node]->disabled)
			result = graph_node_run(g->nodes[g->steps[i].node], stream);
	return result;
}
