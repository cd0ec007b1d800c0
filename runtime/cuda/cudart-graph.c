/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Graph Management, and the capture of streams. */
#include "runtime/cuda/cudart.h"

#include <string.h>

#include "runtime/cuda/device-code.h"
#include "runtime/cuda/graphs.h"
#include "runtime/cuda/handles.h"

#define PARAMETERS_MAX 256

static int64_t index_of(const struct session_array *a, const void *p)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (*session_at(a, const void *, i) == p)
			return i;
	return -1;
}

/* executable: a cudaGraphExec_t is meant. */
static struct session_graph *find(const void *handle, bool executable)
{
	struct session_graph *g = (struct session_graph *)handle;

	return index_of(&device.session->graphs, handle) >= 0 && g->executable == executable ? g : NULL;
}

static struct session_node *node_at(const struct session_graph *g, uint32_t i)
{
	return *session_at(&g->nodes, struct session_node *, i);
}

static struct session_graph *new_graph(bool executable)
{
	struct session_graph *g = device.host->session_alloc(sizeof(*g)), **slot;

	if (!g)
		return NULL;
	*g = (struct session_graph){ .executable = executable };
	slot = session_append(&device.session->graphs, struct session_graph *);
	if (slot)
		*slot = g;
	else
		device.host->session_free(g);
	return slot ? g : NULL;
}

static void empty(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		struct session_node *n = node_at(g, i);

		if (n->kind == NODE_LAUNCH) {
			device.host->session_free(n->launch.name);
			if (n->launch.args)
				device.host->session_free(n->launch.args);
		}
		device.host->session_free(n);
	}
	session_array_clear(&g->nodes);
}

static void free_graph(struct session_graph *g)
{
	empty(g);
	session_remove(&device.session->graphs, sizeof(void *), (uint32_t)index_of(&device.session->graphs, g));
	device.host->session_free(g);
}

void graphs_reset(void)
{
	while (device.session->graphs.n)
		free_graph(*session_at(&device.session->graphs, struct session_graph *, 0));
}

struct session_graph *graphs_capturing(cudaStream_t stream)
{
	const struct session_stream *s = handles_stream_look(stream);

	return s ? s->capture : NULL;
}

cudaError_t graphs_add(struct session_graph *g, const struct session_node *n, struct session_node **ret)
{
	struct session_node *copy = device.host->session_alloc(sizeof(*copy)), **slot = NULL;

	if (copy)
		slot = session_append(&g->nodes, struct session_node *);
	if (!slot) {
		if (copy)
			device.host->session_free(copy);
		return cudaErrorMemoryAllocation;
	}
	*copy = *n;
	*slot = copy;
	if (ret)
		*ret = copy;
	return cudaSuccess;
}

/* As it is defined now. */
static struct session_entry *entry_of(const struct session_launch *l)
{
	return l->name[0] ? device_code_entry(l->name) : device_code_entry_at(l->stub);
}

/* The bytes of the arguments, one behind the other at the offsets that the entry has them at. */
static cudaError_t copy_args(struct session_entry *e, void **args, struct session_launch *ret)
{
	size_t offset, size, end = 0;
	CUfunction f;
	cudaError_t result = cudart_error(device_code_function(e, &f));

	ret->args = NULL;
	for (uint32_t pass = 0; pass < 2 && !result; pass++) {
		for (ret->n_args = 0; ret->n_args < PARAMETERS_MAX; ret->n_args++) {
			if (device.driver->cuFuncGetParamInfo(f, ret->n_args, &offset, &size))
				break;
			if (offset + size > end)
				end = offset + size;
			if (pass)
				memcpy(ret->args + offset, args[ret->n_args], size);
		}
		if (pass || !ret->n_args)
			break;
		if (!args)
			return cudaErrorInvalidValue;
		ret->args = device.host->session_alloc(end);
		if (!ret->args)
			result = cudaErrorMemoryAllocation;
	}
	return result;
}

cudaError_t graphs_add_launch(struct session_graph *g, struct session_entry *e, const struct session_launch *l,
			      void **args, struct session_node **ret)
{
	struct session_node n = { .kind = NODE_LAUNCH, .launch = *l };
	cudaError_t result;

	if (!e)
		return cudaErrorInvalidDeviceFunction;
	result = copy_args(e, args, &n.launch);
	if (result)
		return result;
	n.launch.stub = e->stub;
	n.launch.name = session_strdup(e->name);
	result = n.launch.name ? graphs_add(g, &n, ret) : cudaErrorMemoryAllocation;
	if (result && n.launch.args)
		device.host->session_free(n.launch.args);
	if (result && n.launch.name)
		device.host->session_free(n.launch.name);
	return result;
}

bool graphs_record(cudaEvent_t event, cudaStream_t stream)
{
	struct session_event *e = handles_event_look(event);
	struct session_graph *g = graphs_capturing(stream);

	if (e)
		e->capture = g;
	return e && g;
}

bool graphs_wait(cudaStream_t stream, cudaEvent_t event)
{
	const struct session_event *e = handles_event_look(event);
	struct session_stream *s = handles_stream_look(stream);

	if (!s || !e || !e->capture)
		return false;
	s->capture = e->capture;
	return true;
}

static cudaError_t begin(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	struct session_stream *s = handles_stream_look(stream);
	CUstream real;
	cudaError_t result = cudaSuccess;

	if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	if (!s)
		return cudart_stream(stream, &real) ? cudaErrorInvalidResourceHandle : cudaErrorStreamCaptureUnsupported;
	device_lock();
	if (s->capture)
		result = cudaErrorIllegalState;
	else if (!(s->capture = new_graph(false)))
		result = cudaErrorMemoryAllocation;
	else
		s->origin = true;
	device_unlock();
	return result;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return CUDART_CALL(begin(stream, mode));
}

/* All streams and events that have joined leave. */
static cudaError_t end(cudaStream_t stream, cudaGraph_t *ret)
{
	struct session_stream *s = handles_stream_look(stream);
	struct session_graph *g = s ? s->capture : NULL;

	if (!ret)
		return cudaErrorInvalidValue;
	if (!g)
		return s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
	if (!s->origin)
		return cudaErrorStreamCaptureUnmatched;
	device_lock();
	for (uint32_t i = 0; i < device.session->streams.n; i++) {
		struct session_stream *other = *session_at(&device.session->streams, struct session_stream *, i);

		if (other->capture == g)
			other->capture = NULL;
	}
	for (uint32_t i = 0; i < device.session->events.n; i++) {
		struct session_event *e = *session_at(&device.session->events, struct session_event *, i);

		if (e->capture == g)
			e->capture = NULL;
	}
	s->origin = false;
	device_unlock();
	*ret = (cudaGraph_t)g;
	return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *ret)
{
	return CUDART_CALL(end(stream, ret));
}

static cudaError_t is_capturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	CUstream s;
	bool captured = graphs_capturing(stream);
	cudaError_t result = captured ? cudaSuccess : cudart_stream(stream, &s);

	if (!result)
		*ret = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return result;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	return CUDART_CALL(ret ? is_capturing(stream, ret) : cudaErrorInvalidValue);
}

static cudaError_t create(cudaGraph_t *ret, unsigned flags)
{
	struct session_graph *g;

	if (!ret || flags)
		return cudaErrorInvalidValue;
	device_lock();
	g = new_graph(false);
	device_unlock();
	*ret = (cudaGraph_t)g;
	return g ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphCreate(cudaGraph_t *ret, unsigned int flags)
{
	return CUDART_CALL(create(ret, flags));
}

static cudaError_t destroy(const void *handle, bool executable)
{
	struct session_graph *g;

	device_lock();
	g = find(handle, executable);
	if (g)
		free_graph(g);
	device_unlock();
	return g ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return CUDART_CALL(destroy(graph, false));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return CUDART_CALL(destroy(exec, true));
}

/* The nodes of `from` behind those of `to`; they remember what they were made from. */
static cudaError_t copy_nodes(struct session_graph *to, const struct session_graph *from)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < from->nodes.n && !result; i++) {
		const struct session_node *n = node_at(from, i);
		struct session_node *copy = NULL;
		void *args[PARAMETERS_MAX];

		if (n->kind == NODE_LAUNCH) {
			struct session_entry *e = entry_of(&n->launch);

			result = e ? cudart_graph_args(e, &n->launch, args) : cudaErrorInvalidDeviceFunction;
			if (!result)
				result = graphs_add_launch(to, e, &n->launch, args, &copy);
		} else {
			result = graphs_add(to, n, &copy);
		}
		if (!result)
			copy->origin = n;
	}
	return result;
}

/* A copy of a graph: an executable one, or a clone. */
static cudaError_t duplicate(void **ret, cudaGraph_t graph, bool executable)
{
	struct session_graph *from, *g = NULL;
	cudaError_t result = cudaErrorInvalidValue;

	if (!ret)
		return result;
	device_lock();
	from = find(graph, false);
	if (from) {
		g = new_graph(executable);
		result = g ? copy_nodes(g, from) : cudaErrorMemoryAllocation;
	}
	if (result && g)
		free_graph(g);
	device_unlock();
	if (!result)
		*ret = g;
	return result;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	(void)flags;
	return CUDART_CALL(duplicate((void **)ret, graph, true));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	(void)flags;
	return CUDART_CALL(duplicate((void **)ret, graph, true));
}

cudaError_t cudaGraphClone(cudaGraph_t *ret, cudaGraph_t graph)
{
	return CUDART_CALL(duplicate((void **)ret, graph, false));
}

cudaError_t cudart_graph_args(struct session_entry *e, const struct session_launch *l, void **ret)
{
	size_t offset, size;
	CUfunction f;
	cudaError_t result = cudart_error(device_code_function(e, &f));

	for (uint32_t i = 0; i < l->n_args && !result; i++) {
		/* The entry was defined anew, with other parameters. */
		if (device.driver->cuFuncGetParamInfo(f, i, &offset, &size))
			return cudaErrorInvalidDeviceFunction;
		ret[i] = l->args + offset;
	}
	return result;
}

static cudaError_t run_launch(const struct session_launch *l, cudaStream_t stream)
{
	struct session_entry *e = entry_of(l);
	void *args[PARAMETERS_MAX];
	cudaError_t result = e ? cudart_graph_args(e, l, args) : cudaErrorInvalidDeviceFunction;

	return result ? result : cudart_launch(e, l, args, stream);
}

static cudaError_t run(const struct session_node *n, cudaStream_t stream)
{
	switch (n->kind) {
	case NODE_LAUNCH:
		return run_launch(&n->launch, stream);
	case NODE_COPY:
		return cudart_copy_async(n->copy.dst, n->copy.src, n->copy.size, n->copy.kind, stream);
	case NODE_COPY_3D:
		return cudart_copy_3d(&n->copy_3d, true, stream);
	case NODE_FILL:
		return cudart_fill_2d(n->fill.dst, n->fill.pitch, (int)n->fill.value, n->fill.width * n->fill.elementSize,
				      n->fill.height, stream);
	case NODE_HOST:
		return cudart_launch_host(stream, n->host.fn, n->host.userData);
	case NODE_EMPTY:
		return cudaSuccess;
	}
	return cudaErrorUnknown;
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream)
{
	const struct session_graph *g = find(exec, true);
	cudaError_t result = g ? cudaSuccess : cudaErrorInvalidValue;
	CUstream s;

	if (!result && !graphs_capturing(stream))
		result = cudart_stream(stream, &s);
	for (uint32_t i = 0; !result && i < g->nodes.n; i++)
		result = run(node_at(g, i), stream);
	return result;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	return CUDART_CALL(launch(exec, stream));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	(void)stream;
	return CUDART_CALL(find(exec, true) ? cudaSuccess : cudaErrorInvalidValue);
}

/* A node whose dependencies are of the same graph, so they come before it. */
static cudaError_t add_node(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
			    const struct session_node *n)
{
	struct session_node *made;
	struct session_graph *g;
	cudaError_t result = cudaErrorInvalidValue;

	device_lock();
	g = find(graph, false);
	if (g && ret && (deps || !n_deps))
		result = cudaSuccess;
	for (size_t i = 0; i < n_deps && !result; i++)
		if (index_of(&g->nodes, deps[i]) < 0)
			result = cudaErrorInvalidValue;
	if (!result)
		result = graphs_add(g, n, &made);
	if (!result)
		*ret = (cudaGraphNode_t)made;
	device_unlock();
	return result;
}

static cudaError_t set_launch(struct session_node *n, const struct cudaKernelNodeParams *p)
{
	struct session_entry *e = p ? device_code_entry_at(p->func) : NULL;
	struct session_launch l;
	cudaError_t result;

	if (!p || p->extra)
		return p ? cudaErrorNotSupported : cudaErrorInvalidValue;
	if (!e)
		return cudaErrorInvalidDeviceFunction;
	l = (struct session_launch){ .grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes,
				   .stub = e->stub };
	result = copy_args(e, p->kernelParams, &l);
	if (!result && !(l.name = session_strdup(e->name)))
		result = cudaErrorMemoryAllocation;
	if (result)
		return result;
	n->kind = NODE_LAUNCH;
	n->launch = l;
	return cudaSuccess;
}

static cudaError_t add_kernel(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
			      const struct cudaKernelNodeParams *p)
{
	struct session_node n = { .kind = NODE_EMPTY };
	cudaError_t result = set_launch(&n, p);

	return result ? result : add_node(ret, graph, deps, n_deps, &n);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
				   const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(add_kernel(ret, graph, deps, n_deps, p));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
				   const struct cudaMemcpy3DParms *p)
{
	struct session_node n = { .kind = NODE_COPY_3D };

	if (p)
		n.copy_3d = *p;
	return CUDART_CALL(p ? add_node(ret, graph, deps, n_deps, &n) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps,
				     size_t n_deps, void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	struct session_node n = { .kind = NODE_COPY, .copy = { dst, src, size, kind } };

	return CUDART_CALL(dst && src ? add_node(ret, graph, deps, n_deps, &n) : cudaErrorInvalidValue);
}

/* Elements of more than one byte must have equal bytes: fills are of bytes. */
static cudaError_t add_fill(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
			    const struct cudaMemsetParams *p)
{
	struct session_node n = { .kind = NODE_FILL };

	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	for (unsigned i = 1; i < p->elementSize; i++)
		if ((p->value >> 8 * i & 255) != (p->value & 255))
			return cudaErrorNotSupported;
	n.fill = *p;
	return add_node(ret, graph, deps, n_deps, &n);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
				   const struct cudaMemsetParams *p)
{
	return CUDART_CALL(add_fill(ret, graph, deps, n_deps, p));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps,
				 const struct cudaHostNodeParams *p)
{
	struct session_node n = { .kind = NODE_HOST };

	if (p)
		n.host = *p;
	return CUDART_CALL(p && p->fn ? add_node(ret, graph, deps, n_deps, &n) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps)
{
	struct session_node n = { .kind = NODE_EMPTY };

	return CUDART_CALL(add_node(ret, graph, deps, n_deps, &n));
}

/* nodes NULL: only their number is asked. */
static cudaError_t get_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	const struct session_graph *g = find(graph, false);

	if (!g || !n)
		return cudaErrorInvalidValue;
	for (size_t i = 0; nodes && i < *n; i++)
		nodes[i] = i < g->nodes.n ? (cudaGraphNode_t)node_at(g, (uint32_t)i) : NULL;
	if (!nodes || *n > g->nodes.n)
		*n = g->nodes.n;
	return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return CUDART_CALL(get_nodes(graph, nodes, n));
}
