/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each lane of the order has a stream of the session; the first one is the stream that the graph is
 * launched in, when its nodes are of the same device. Lanes begin behind what is in that stream,
 * and what comes behind the graph there waits for all of them. Into a capture a graph goes as one
 * chain. At a conditional node who launches waits for what is before it, reads the value and runs a
 * body or none.
 */
#include "runtime/cuda/cudart-graph/graph-run.h"

#include <stdlib.h>

#include "common/cuda/graph-order.h"
#include "runtime/cuda/cudart/cudart.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"

/* Conditions get the values that they have when a graph begins. */
static cudaError_t preset(const struct session_graph *g, cudaStream_t stream)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < g->conditions.n && !result; i++) {
		const struct session_condition *c = graphs_condition_at(g, i);
		struct cudaMemsetParams fill = { .dst = (void *)(uintptr_t)c->handle,
						 .value = c->preset,
						 .elementSize = sizeof(c->preset),
						 .width = 1,
						 .height = 1 };

		if (c->flags & cudaGraphCondAssignDefault)
			result = cudart_fill(&fill, stream);
	}
	return result;
}

/* The body that is to run, NULL: none; waits for what is in the stream. */
static cudaError_t decide(const struct session_node *n, cudaStream_t stream,
			  const struct session_graph **ret)
{
	uint32_t value = 0, index = 0;
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (!result)
		result = cudart_error(device.driver->cuMemcpyAsync(
			(uintptr_t)&value, n->conditional.handle, sizeof(value), s));
	if (!result)
		result = cudart_error(device_synchronize_stream(s));
	if (result)
		return result;
	if (n->conditional.type == cudaGraphCondTypeSwitch)
		index = value;
	else if (!value)
		index = n->conditional.type == cudaGraphCondTypeIf ? 1 : UINT32_MAX;
	*ret = index < n->conditional.size ? n->conditional.bodies[index] : NULL;
	return cudaSuccess;
}

static cudaError_t run_launch(const struct session_launch *l, cudaStream_t stream)
{
	struct session_kernel *kernel = graphs_kernel(l);
	void *args[GRAPHS_PARAMETERS_MAX];
	cudaError_t result =
		kernel ? graphs_launch_args(l, kernel, args) : cudaErrorInvalidDeviceFunction;

	return result ? result : cudart_launch(kernel, l, args, stream);
}

/* The body that runs is known when all before it has run, so this waits for that. */
static cudaError_t run_conditional(const struct session_node *n, cudaStream_t stream)
{
	const struct session_graph *body;
	cudaError_t result;

	do {
		result = decide(n, stream, &body);
		if (!result && body)
			result = graph_run(body, stream);
	} while (!result && body && n->conditional.type == cudaGraphCondTypeWhile);
	return result;
}

static cudaError_t run(const struct session_node *n, cudaStream_t stream)
{
	switch (n->kind) {
	case NODE_LAUNCH:
		return run_launch(&n->launch, stream);
	case NODE_COPY:
		return cudart_copy_async(n->copy.dst, n->copy.src, n->copy.size, n->copy.kind,
					 stream);
	case NODE_COPY_3D:
		return cudart_copy_3d(&n->copy_3d, true, stream);
	case NODE_FILL:
		return cudart_fill(&n->fill, stream);
	case NODE_HOST:
		return cudart_launch_host(stream, n->host.fn, n->host.userData);
	case NODE_CHILD:
		return graph_run(n->child, stream);
	case NODE_RECORD:
		return cudart_record_event(n->event, stream);
	case NODE_WAIT:
		return cudart_wait_event(stream, n->event);
	case NODE_CONDITIONAL:
		return run_conditional(n, stream);
	/* The memory is there from the node's making to its graph's end. */
	case NODE_ALLOC:
	case NODE_FREE:
	case NODE_EMPTY:
		return cudaSuccess;
	}
	return cudaErrorUnknown;
}

/* One launch of a graph with several lanes. */
struct run {
	const struct session_graph *graph;
	cudaStream_t stream; /* that it is launched in */
	int device;          /* of that */
	CUevent start;       /* behind what is before the graph there */
	struct lane {
		cudaStream_t stream;
		int device;
		bool begun;
	} *lanes;
	CUevent *marks; /* behind each node that is awaited by another lane */
};

/* The device is the current one. */
static cudaError_t mark(cudaStream_t stream, CUevent *ret)
{
	CUstream s;
	cudaError_t result = cudart_error(handles_stream(stream, &s));

	if (!result)
		result = cudart_error(device.driver->cuEventCreate(ret, CU_EVENT_DISABLE_TIMING));
	return result ? result : cudart_error(device.driver->cuEventRecord(*ret, s));
}

/* e NULL: nothing to wait for. */
static cudaError_t wait_for(cudaStream_t stream, CUevent e)
{
	CUstream s;
	cudaError_t result = e ? cudart_error(handles_stream(stream, &s)) : cudaSuccess;

	return result || !e ? result : cudart_error(device.driver->cuStreamWaitEvent(s, e, 0));
}

static cudaError_t begin_lane(const struct run *r, uint32_t index, int ordinal)
{
	struct lane *lane = &r->lanes[index];
	cudaStream_t *own = session_at(&r->graph->lanes, cudaStream_t, index);
	cudaError_t result = cudaSuccess;

	*lane = (struct lane){ r->stream, ordinal, true };
	if (!index && ordinal == r->device)
		return cudaSuccess;
	device_lock();
	if (!*own)
		result = cudart_error(handles_stream_new(cudaStreamNonBlocking, 0, own));
	device_unlock();
	lane->stream = *own;
	lane->begun = !result;
	return result ? result : wait_for(lane->stream, r->start);
}

static cudaError_t run_step(const struct run *r, const struct graph_step *s)
{
	const struct session_node *n = graphs_node_at(r->graph, s->node);
	struct lane *lane = &r->lanes[s->lane];
	int before = device_current();
	cudaError_t result = cudart_error(device_switch(n->device));

	if (!result && !lane->begun)
		result = begin_lane(r, s->lane, n->device);
	for (uint32_t i = 0; i < n->deps.n && !result; i++)
		result = wait_for(
			lane->stream,
			r->marks[(*session_at(&n->deps, struct session_node *, i))->number]);
	if (!result && !n->disabled)
		result = run(n, lane->stream);
	if (!result && s->awaited)
		result = mark(lane->stream, &r->marks[s->node]);
	device_switch(before);
	return result;
}

static cudaError_t join(const struct run *r)
{
	int before = device_current();
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < r->graph->lanes.n && !result; i++) {
		const struct lane *lane = &r->lanes[i];
		CUevent end = NULL;

		if (!lane->begun || lane->stream == r->stream)
			continue;
		result = cudart_error(device_switch(lane->device));
		if (!result)
			result = mark(lane->stream, &end);
		device_switch(before);
		if (!result)
			result = wait_for(r->stream, end);
		if (end)
			device.driver->cuEventDestroy(end);
	}
	return result;
}

static cudaError_t run_lanes(const struct session_graph *g, cudaStream_t stream)
{
	struct run r = { .graph = g, .stream = stream, .device = handles_stream_device(stream) };
	int before = device_current();
	cudaError_t result = cudaErrorMemoryAllocation, joined = cudaSuccess;

	r.lanes = calloc(g->lanes.n, sizeof(*r.lanes));
	r.marks = calloc(g->nodes.n, sizeof(CUevent));
	if (r.lanes && r.marks) {
		result = cudart_error(device_switch(r.device));
		if (!result)
			result = mark(stream, &r.start);
		for (uint32_t i = 0; i < g->steps.n && !result; i++)
			result = run_step(&r, session_at(&g->steps, struct graph_step, i));
		/* The lanes that have begun are joined with the stream, also when the rest failed.
		 */
		joined = join(&r);
		device_switch(before);
	}
	for (uint32_t i = 0; r.marks && i < g->nodes.n; i++)
		if (r.marks[i])
			device.driver->cuEventDestroy(r.marks[i]);
	if (r.start)
		device.driver->cuEventDestroy(r.start);
	free(r.lanes);
	free(r.marks);
	return result ? result : joined;
}

cudaError_t graph_run(const struct session_graph *g, cudaStream_t stream)
{
	cudaError_t result = preset(g, stream);

	if (result || !g->nodes.n)
		return result;
	if (!capture_find(stream) &&
	    (g->lanes.n > 1 || graphs_node_at(g, 0)->device != handles_stream_device(stream)))
		return run_lanes(g, stream);
	for (uint32_t i = 0; i < g->steps.n && !result; i++) {
		const struct session_node *n =
			graphs_node_at(g, session_at(&g->steps, struct graph_step, i)->node);

		if (!n->disabled)
			result = run(n, stream);
	}
	return result;
}
