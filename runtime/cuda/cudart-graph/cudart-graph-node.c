/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Graph Management: nodes and their parameters. Each kind has one function,
 * make_KIND(), that makes a node of what the manual calls its parameters; the node is then added to
 * a graph, or takes the place of another one's content.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/cudart-graph/cudart-graph-condition.h"
#include "runtime/cuda/graphs/graphs.h"

/* The place of a new node. */
struct place {
	cudaGraphNode_t *ret;
	cudaGraph_t graph;
	const cudaGraphNode_t *deps;
	size_t n_deps;
};

/* A node of a kind's parameters; not NULL. What the node points at is the caller's. */
typedef cudaError_t make_fn(struct session_node *n, const void *params);

static cudaError_t add(const struct place *p, make_fn *make, const void *params)
{
	struct session_node n, *node;
	struct session_graph *g;
	cudaError_t result = params ? make(&n, params) : cudaErrorInvalidValue;

	if (result)
		return result;
	device_lock();
	g = graphs_find(p->graph, false);
	if (!g || !p->ret || (p->n_deps && !p->deps))
		result = cudaErrorInvalidValue;
	for (size_t i = 0; i < p->n_deps && !result; i++) {
		const struct session_node *on = graphs_node(p->deps[i]);

		result = on && on->graph == g ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (!result)
		result = graphs_add(g, &n, (struct session_node *const *)p->deps, p->n_deps, &node);
	if (result)
		graphs_release_content(&n);
	else
		*p->ret = (cudaGraphNode_t)node;
	device_unlock();
	return result;
}

/* exec NULL: the node itself, otherwise its copy there. */
static struct session_node *target(cudaGraphExec_t exec, cudaGraphNode_t node)
{
	const struct session_graph *g = exec ? graphs_find(exec, true) : NULL;
	struct session_node *n = graphs_node(node);

	return !n || (exec && !g) ? NULL : exec ? graphs_copy_of(g, n) : n;
}

/* exec NULL: the node itself. */
static cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, make_fn *make,
			  const void *params)
{
	struct session_node content, *to, old;
	cudaError_t result = params ? make(&content, params) : cudaErrorInvalidValue;

	if (result)
		return result;
	device_lock();
	to = target(exec, node);
	if (!to || graphs_type(to) != graphs_type(&content)) {
		result = cudaErrorInvalidValue;
		graphs_release_content(&content);
	} else {
		old = *to;
		*to = content;
		to->graph = old.graph;
		to->number = old.number;
		to->deps = old.deps;
		to->origin = old.origin;
		to->disabled = old.disabled;
		to->device = old.device;
		if (to->kind == NODE_LAUNCH) {
			to->launch.cooperative = old.launch.cooperative;
			to->launch.priority = old.launch.priority;
			to->launch.window = old.launch.window;
		}
		graphs_release_content(&old);
	}
	device_unlock();
	return result;
}

static cudaError_t set(cudaGraphNode_t node, make_fn *make, const void *params)
{
	return change(NULL, node, make, params);
}

static cudaError_t set_in(cudaGraphExec_t exec, cudaGraphNode_t node, make_fn *make,
			  const void *params)
{
	return exec ? change(exec, node, make, params) : cudaErrorInvalidValue;
}

/* The node of this type; NULL: it is none, or there is nowhere to answer to. */
static struct session_node *get(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *ret)
{
	struct session_node *n = ret ? graphs_node(node) : NULL;

	return n && graphs_type(n) == type ? n : NULL;
}

static cudaError_t make_launch(struct session_node *n, const void *params)
{
	const struct cudaKernelNodeParams *p = params;
	cudaError_t result;

	if (p->extra)
		return cudaErrorNotSupported;
	*n = (struct session_node){ .kind = NODE_LAUNCH };
	n->launch.grid = p->gridDim;
	n->launch.block = p->blockDim;
	n->launch.shared = p->sharedMemBytes;
	device_lock();
	result = graphs_launch_init(&n->launch, device_code_kernel_at(p->func), p->kernelParams);
	device_unlock();
	return result;
}

/* A copy in one dimension; with a symbol this stands for one end, `offset` bytes behind its start.
 */
struct copy {
	void *dst;
	const void *src;
	size_t size;
	enum cudaMemcpyKind kind;
	size_t offset;
};

static cudaError_t make_copy(struct session_node *n, const void *params)
{
	const struct copy *c = params;

	*n = (struct session_node){ .kind = NODE_COPY,
				    .copy = { c->dst, c->src, c->size, c->kind } };
	return c->dst && c->src && (unsigned)c->kind <= cudaMemcpyDefault ? cudaSuccess
									  : cudaErrorInvalidValue;
}

static cudaError_t make_copy_to_symbol(struct session_node *n, const void *params)
{
	struct copy c = *(const struct copy *)params;
	cudaError_t result = cudart_symbol_range(c.dst, c.offset, c.size, &c.dst);

	return result ? result : make_copy(n, &c);
}

static cudaError_t make_copy_from_symbol(struct session_node *n, const void *params)
{
	struct copy c = *(const struct copy *)params;
	cudaError_t result = cudart_symbol_range(c.src, c.offset, c.size, (void **)&c.src);

	return result ? result : make_copy(n, &c);
}

static cudaError_t make_copy_3d(struct session_node *n, const void *params)
{
	*n = (struct session_node){ .kind = NODE_COPY_3D,
				    .copy_3d = *(const struct cudaMemcpy3DParms *)params };
	return cudaSuccess;
}

static cudaError_t make_fill(struct session_node *n, const void *params)
{
	const struct cudaMemsetParams *p = params;

	*n = (struct session_node){ .kind = NODE_FILL, .fill = *p };
	return p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4
		       ? cudaSuccess
		       : cudaErrorInvalidValue;
}

static cudaError_t make_host(struct session_node *n, const void *params)
{
	*n = (struct session_node){ .kind = NODE_HOST,
				    .host = *(const struct cudaHostNodeParams *)params };
	return n->host.fn ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_empty(struct session_node *n, const void *params)
{
	(void)params;
	*n = (struct session_node){ .kind = NODE_EMPTY };
	return cudaSuccess;
}

/* In an executable graph the node's copy is executable. */
struct child {
	cudaGraph_t graph;
	bool executable;
};

static cudaError_t make_child(struct session_node *n, const void *params)
{
	const struct child *c = params;
	const struct session_graph *from;
	struct session_node template = { .kind = NODE_CHILD };
	struct session_graph holder = { .executable = c->executable };
	cudaError_t result = cudaErrorInvalidValue;

	*n = (struct session_node){ .kind = NODE_EMPTY, .graph = &holder };
	device_lock();
	from = graphs_find(c->graph, false);
	if (from && !cudart_graph_condition_is_in(from)) {
		template.child = (struct session_graph *)from;
		result = graphs_copy_content(n, &template);
		n->origin = NULL;
	}
	device_unlock();
	return result;
}

static cudaError_t make_record(struct session_node *n, const void *event)
{
	*n = (struct session_node){ .kind = NODE_RECORD, .event = *(const cudaEvent_t *)event };
	return session_find_event(n->event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t make_wait(struct session_node *n, const void *event)
{
	cudaError_t result = make_record(n, event);

	n->kind = NODE_WAIT;
	return result;
}

/* The memory is there. */
static cudaError_t make_alloc(struct session_node *n, const void *params)
{
	const struct cudaMemAllocNodeParams *p = params;

	*n = (struct session_node){ .kind = NODE_ALLOC, .memory = { p->dptr, p->bytesize, false } };
	return cudaSuccess;
}

static cudaError_t make_free(struct session_node *n, const void *address)
{
	*n = (struct session_node){ .kind = NODE_FREE,
				    .memory = { .address = *(void *const *)address } };
	return cudart_is_device(n->memory.address) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_conditional(struct session_node *n, const void *params)
{
	const struct cudaConditionalNodeParams *p = params;
	uint32_t max = p->type == cudaGraphCondTypeWhile ? 1
		       : p->type == cudaGraphCondTypeIf  ? 2
							 : UINT32_MAX;
	cudaError_t result = cudaSuccess;

	if ((unsigned)p->type > cudaGraphCondTypeSwitch || !p->size || p->size > max)
		return cudaErrorInvalidValue;
	*n = (struct session_node){ .kind = NODE_CONDITIONAL,
				    .conditional = { .handle = p->handle, .type = p->type } };
	device_lock();
	result = cudart_graph_condition_check(p->handle);
	if (!result) {
		n->conditional.bodies =
			device.host->session_alloc(p->size * sizeof(*n->conditional.bodies));
		result = n->conditional.bodies ? cudaSuccess : cudaErrorMemoryAllocation;
	}
	while (!result && n->conditional.size < p->size) {
		struct session_graph *body = graphs_new(false);

		if (body) {
			body->owned = true;
			n->conditional.bodies[n->conditional.size++] = body;
		} else {
			result = cudaErrorMemoryAllocation;
			graphs_release_content(n);
		}
	}
	device_unlock();
	return result;
}

/* Parameter lists that are the same for each kind of node. */
#define PLACE cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps
#define AT (&(struct place){ ret, graph, deps, n_deps })
#define COPY(...) (&(struct copy){ __VA_ARGS__ })

cudaError_t cudaGraphAddKernelNode(PLACE, const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(add(AT, make_launch, p));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(set(node, make_launch, p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(set_in(exec, node, make_launch, p));
}

/* The array of pointers to the arguments is the node's. */
static cudaError_t get_launch(cudaGraphNode_t node, struct cudaKernelNodeParams *ret)
{
	struct session_node *n = get(node, cudaGraphNodeTypeKernel, ret);
	struct session_launch *l = n ? &n->launch : NULL;
	struct session_kernel *kernel;
	cudaError_t result = cudaSuccess;

	if (!l)
		return cudaErrorInvalidValue;
	device_lock();
	kernel = graphs_kernel(l);
	if (!l->pointers && l->n_args)
		l->pointers = device.host->session_alloc(l->n_args * sizeof(void *));
	if (!kernel)
		result = cudaErrorInvalidDeviceFunction;
	else if (l->n_args)
		result = l->pointers ? graphs_launch_args(l, kernel, l->pointers)
				     : cudaErrorMemoryAllocation;
	device_unlock();
	if (!result)
		*ret = (struct cudaKernelNodeParams){ kernel->stub,        l->grid,     l->block,
						      (unsigned)l->shared, l->pointers, NULL };
	return result;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *ret)
{
	return CUDART_CALL(get_launch(node, ret));
}

cudaError_t cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(add(AT, make_copy_3d, p));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(set(node, make_copy_3d, p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(set_in(exec, node, make_copy_3d, p));
}

static cudaError_t get_copy(cudaGraphNode_t node, struct cudaMemcpy3DParms *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemcpy, ret);

	if (!n)
		return cudaErrorInvalidValue;
	if (n->kind == NODE_COPY_3D) {
		*ret = n->copy_3d;
		return cudaSuccess;
	}
	*ret = (struct cudaMemcpy3DParms){
		.srcPtr = { (void *)n->copy.src, n->copy.size, n->copy.size, 1 },
		.dstPtr = { n->copy.dst, n->copy.size, n->copy.size, 1 },
		.extent = { n->copy.size, 1, 1 },
		.kind = n->copy.kind,
	};
	return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *ret)
{
	return CUDART_CALL(get_copy(node, ret));
}

cudaError_t cudaGraphAddMemcpyNode1D(PLACE, void *dst, const void *src, size_t size,
				     enum cudaMemcpyKind kind)
{
	return CUDART_CALL(add(AT, make_copy, COPY(dst, src, size, kind)));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
					   size_t size, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set(node, make_copy, COPY(dst, src, size, kind)));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
					       void *dst, const void *src, size_t size,
					       enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set_in(exec, node, make_copy, COPY(dst, src, size, kind)));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(PLACE, const void *symbol, const void *src, size_t size,
					   size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(
		add(AT, make_copy_to_symbol, COPY((void *)symbol, src, size, kind, offset)));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(PLACE, void *dst, const void *symbol, size_t size,
					     size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(add(AT, make_copy_from_symbol, COPY(dst, symbol, size, kind, offset)));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
						 const void *src, size_t size, size_t offset,
						 enum cudaMemcpyKind kind)
{
	return CUDART_CALL(
		set(node, make_copy_to_symbol, COPY((void *)symbol, src, size, kind, offset)));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
						   const void *symbol, size_t size, size_t offset,
						   enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set(node, make_copy_from_symbol, COPY(dst, symbol, size, kind, offset)));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
						     const void *symbol, const void *src,
						     size_t size, size_t offset,
						     enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set_in(exec, node, make_copy_to_symbol,
				  COPY((void *)symbol, src, size, kind, offset)));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
						       void *dst, const void *symbol, size_t size,
						       size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(
		set_in(exec, node, make_copy_from_symbol, COPY(dst, symbol, size, kind, offset)));
}

cudaError_t cudaGraphAddMemsetNode(PLACE, const struct cudaMemsetParams *p)
{
	return CUDART_CALL(add(AT, make_fill, p));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
	return CUDART_CALL(set(node, make_fill, p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaMemsetParams *p)
{
	return CUDART_CALL(set_in(exec, node, make_fill, p));
}

static cudaError_t get_fill(cudaGraphNode_t node, struct cudaMemsetParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemset, ret);

	if (n)
		*ret = n->fill;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *ret)
{
	return CUDART_CALL(get_fill(node, ret));
}

cudaError_t cudaGraphAddHostNode(PLACE, const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(add(AT, make_host, p));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(set(node, make_host, p));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					   const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(set_in(exec, node, make_host, p));
}

static cudaError_t get_host(cudaGraphNode_t node, struct cudaHostNodeParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeHost, ret);

	if (n)
		*ret = n->host;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *ret)
{
	return CUDART_CALL(get_host(node, ret));
}

cudaError_t cudaGraphAddEmptyNode(PLACE)
{
	return CUDART_CALL(add(AT, make_empty, graph));
}

cudaError_t cudaGraphAddChildGraphNode(PLACE, cudaGraph_t child)
{
	return CUDART_CALL(add(AT, make_child, &(struct child){ child, false }));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						 cudaGraph_t child)
{
	return CUDART_CALL(set_in(exec, node, make_child, &(struct child){ child, true }));
}

static cudaError_t get_child(cudaGraphNode_t node, cudaGraph_t *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeGraph, ret);

	if (n)
		*ret = (cudaGraph_t)n->child;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *ret)
{
	return CUDART_CALL(get_child(node, ret));
}

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *ret)
{
	const struct session_node *n = get(node, type, ret);

	if (n)
		*ret = n->event;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddEventRecordNode(PLACE, cudaEvent_t event)
{
	return CUDART_CALL(add(AT, make_record, &event));
}

cudaError_t cudaGraphAddEventWaitNode(PLACE, cudaEvent_t event)
{
	return CUDART_CALL(add(AT, make_wait, &event));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(set(node, make_record, &event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(set(node, make_wait, &event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
						 cudaEvent_t event)
{
	return CUDART_CALL(set_in(exec, node, make_record, &event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
					       cudaEvent_t event)
{
	return CUDART_CALL(set_in(exec, node, make_wait, &event));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *ret)
{
	return CUDART_CALL(get_event(node, cudaGraphNodeTypeEventRecord, ret));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *ret)
{
	return CUDART_CALL(get_event(node, cudaGraphNodeTypeWaitEvent, ret));
}

/* The address is fixed when the node is made, so the memory is taken then. */
static cudaError_t add_alloc(const struct place *p, struct cudaMemAllocNodeParams *params)
{
	struct cudaMemAllocNodeParams taken;
	struct ledger_request r;
	uint64_t address = 0;
	cudaError_t result;

	if (!params || !params->bytesize ||
	    params->poolProps.allocType != cudaMemAllocationTypePinned ||
	    params->poolProps.location.type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	if (!cudart_has_device(params->poolProps.location.id))
		return cudaErrorInvalidDevice;
	r = cudart_request("cudaGraphAddMemAllocNode", params->bytesize, BUFFER_MALLOC);
	r.device = params->poolProps.location.id;
	device_lock();
	result = cudart_error(ledger_alloc(&r, &address));
	device_unlock();
	cudart_forget_note();
	if (result)
		return result;
	taken = (struct cudaMemAllocNodeParams){ .bytesize = params->bytesize,
						 .dptr = (void *)(uintptr_t)address };
	result = add(p, make_alloc, &taken);
	if (result) {
		device_lock();
		ledger_free(ledger_find(address));
		device_unlock();
	} else {
		params->dptr = taken.dptr;
	}
	return result;
}

cudaError_t cudaGraphAddMemAllocNode(PLACE, struct cudaMemAllocNodeParams *p)
{
	return CUDART_CALL(add_alloc(AT, p));
}

static cudaError_t get_alloc(cudaGraphNode_t node, struct cudaMemAllocNodeParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemAlloc, ret);

	if (!n)
		return cudaErrorInvalidValue;
	*ret = (struct cudaMemAllocNodeParams){ .bytesize = n->memory.size,
						.dptr = n->memory.address };
	ret->poolProps.allocType = cudaMemAllocationTypePinned;
	ret->poolProps.location.type = cudaMemLocationTypeDevice;
	return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *ret)
{
	return CUDART_CALL(get_alloc(node, ret));
}

cudaError_t cudaGraphAddMemFreeNode(PLACE, void *address)
{
	return CUDART_CALL(add(AT, make_free, &address));
}

static cudaError_t get_free(cudaGraphNode_t node, void *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemFree, ret);

	if (n)
		*(void **)ret = n->memory.address;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *ret)
{
	return CUDART_CALL(get_free(node, ret));
}

static cudaError_t set_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
	struct session_node *n = exec ? target(exec, node) : NULL;

	if (!n || n->kind > NODE_FILL)
		return cudaErrorInvalidValue;
	n->disabled = !enabled;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
				    unsigned int enabled)
{
	return CUDART_CALL(set_enabled(exec, node, enabled));
}

static cudaError_t get_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *ret)
{
	const struct session_node *n = exec && ret ? target(exec, node) : NULL;

	if (n)
		*ret = !n->disabled;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *ret)
{
	return CUDART_CALL(get_enabled(exec, node, ret));
}

/* Parameters of any kind, which the newer calls have in one union, as those of the kind. */
struct any {
	make_fn *make;
	const void *params;
	union {
		struct cudaKernelNodeParams kernel;
		struct cudaMemsetParams fill;
		struct cudaHostNodeParams host;
		struct child child;
	};
};

static cudaError_t any_init(struct any *a, const struct cudaGraphNodeParams *p, bool executable)
{
	*a = (struct any){ .params = &a->kernel };
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		a->make = make_launch;
		a->kernel = (struct cudaKernelNodeParams){
			p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
			p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra
		};
		return cudaSuccess;
	case cudaGraphNodeTypeMemcpy:
		a->make = make_copy_3d;
		a->params = &p->memcpy.copyParams;
		return cudaSuccess;
	case cudaGraphNodeTypeMemset:
		a->make = make_fill;
		a->fill = (struct cudaMemsetParams){ p->memset.dst,   p->memset.pitch,
						     p->memset.value, p->memset.elementSize,
						     p->memset.width, p->memset.height };
		return cudaSuccess;
	case cudaGraphNodeTypeHost:
		a->make = make_host;
		a->host = (struct cudaHostNodeParams){ p->host.fn, p->host.userData };
		return cudaSuccess;
	case cudaGraphNodeTypeGraph:
		a->make = make_child;
		a->child = (struct child){ p->graph.graph, executable };
		return cudaSuccess;
	case cudaGraphNodeTypeEmpty:
		a->make = make_empty;
		return cudaSuccess;
	case cudaGraphNodeTypeEventRecord:
		a->make = make_record;
		a->params = &p->eventRecord.event;
		return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
		a->make = make_wait;
		a->params = &p->eventWait.event;
		return cudaSuccess;
	case cudaGraphNodeTypeMemFree:
		a->make = make_free;
		a->params = &p->free.dptr;
		return cudaSuccess;
	default:
		return cudaErrorNotSupported;
	}
}

static cudaError_t add_any(const struct place *p, struct cudaGraphNodeParams *params)
{
	struct cudaMemAllocNodeParams alloc;
	struct any a;
	cudaError_t result;

	if (!params)
		return cudaErrorInvalidValue;
	if (params->type == cudaGraphNodeTypeMemAlloc) {
		alloc = (struct cudaMemAllocNodeParams){ .poolProps = params->alloc.poolProps,
							 .bytesize = params->alloc.bytesize };
		result = add_alloc(p, &alloc);
		params->alloc.dptr = alloc.dptr;
		return result;
	}
	if (params->type == cudaGraphNodeTypeConditional) {
		result = add(p, make_conditional, &params->conditional);
		if (!result)
			params->conditional.phGraph_out =
				(cudaGraph_t *)((struct session_node *)*p->ret)->conditional.bodies;
		return result;
	}
	result = any_init(&a, params, false);
	return result ? result : add(p, a.make, a.params);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps,
			     const cudaGraphEdgeData *data, size_t n_deps,
			     struct cudaGraphNodeParams *p)
{
	(void)data;
	return CUDART_CALL(add_any(AT, p));
}

/* The memory of a node that takes or gives back some cannot be changed, and the graph of a node
 * only where it runs. exec NULL: the node itself. */
static cudaError_t change_any(cudaGraphExec_t exec, cudaGraphNode_t node,
			      const struct cudaGraphNodeParams *params)
{
	struct any a;
	cudaError_t result = params ? any_init(&a, params, exec) : cudaErrorInvalidValue;

	if (result)
		return result;
	if (a.make == make_empty || a.make == make_free || (a.make == make_child && !exec))
		return cudaErrorNotSupported;
	return change(exec, node, a.make, a.params);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	return CUDART_CALL(change_any(NULL, node, p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				       struct cudaGraphNodeParams *p)
{
	return CUDART_CALL(exec ? change_any(exec, node, p) : cudaErrorInvalidValue);
}
