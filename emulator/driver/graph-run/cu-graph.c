/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API, chapter Graph Management: graphs as a whole, what is in them, executable ones and
 * their update. */
#include <stdio.h>
#include <stdlib.h>

#include "emulator/driver/device/context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/graph-run/graph-run.h"
#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/graph/graph.h"
#include "emulator/driver/memory/graph-memory.h"
#include "emulator/driver/stream/cu-capture.h"
#include "emulator/driver/stream/cu-stream.h"

static struct handle_memory executables = HANDLE_MEMORY(struct CUgraphExec_st);

CUresult cuGraphCreate(CUgraph *ret, unsigned int flags)
{
	CUresult result = gpu_enter("cuGraphCreate", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = graph_new();
	return *ret ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A call on a graph begins so: it must be one, and a place for the answer must be given. */
static CUresult enter(const char *call, CUgraph g, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	return result ? result : graph_valid(g) && ret ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult enter_node(const char *call, CUgraphNode n, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	return result                       ? result
	       : graph_node_valid(n) && ret ? CUDA_SUCCESS
					    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroy(CUgraph g)
{
	CUresult result = enter("cuGraphDestroy", g, g);

	if (result || g->owned)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	graph_free(g);
	return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *ret, CUgraph g)
{
	CUresult result = enter("cuGraphClone", g, ret);

	if (!result && graph_is_conditional(g))
		result = CUDA_ERROR_NOT_SUPPORTED;
	return result ? result : graph_clone(g, ret);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *ret, CUgraphNode origin, CUgraph clone)
{
	CUresult result = enter("cuGraphNodeFindInClone", clone, ret);
	CUgraphNode found = NULL;

	if (!result)
		found = graph_copy_of(clone, origin);
	if (found)
		*ret = found;
	return result || found ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *ret)
{
	CUresult result = enter_node("cuGraphNodeGetType", n, ret);

	if (!result)
		*ret = n->params.type;
	return result;
}

CUresult cuGraphDestroyNode(CUgraphNode n)
{
	CUresult result = enter_node("cuGraphDestroyNode", n, n);

	if (!result)
		graph_remove(n);
	return result;
}

/* ---- lists: into the caller's arrays, NULL for their number alone ---- */

struct list {
	CUgraphNode *first, *second; /* of edges both */
	size_t room, n;
};

static void put(struct list *l, CUgraphNode first, CUgraphNode second)
{
	if (l->first && l->n < l->room) {
		l->first[l->n] = first;
		if (l->second)
			l->second[l->n] = second;
	}
	l->n++;
}

/* The rest, behind the last one, is NULL. */
static CUresult end_list(const struct list *l, CUgraphEdgeData *data, size_t *ret)
{
	for (size_t i = l->n; l->first && i < l->room; i++)
		l->first[i] = NULL;
	for (size_t i = 0; l->first && data && i < l->n && i < l->room; i++)
		data[i] = (CUgraphEdgeData){ 0 };
	*ret = l->first && l->n > l->room ? l->room : l->n;
	return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
	CUresult result = enter("cuGraphGetNodes", g, n);
	struct list l = { .first = nodes, .room = result ? 0 : *n };

	if (result)
		return result;
	for (size_t i = 0; i < g->n; i++)
		put(&l, g->nodes[i], NULL);
	return end_list(&l, NULL, n);
}

CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
	CUresult result = enter("cuGraphGetRootNodes", g, n);
	struct list l = { .first = nodes, .room = result ? 0 : *n };

	if (result)
		return result;
	for (size_t i = 0; i < g->n; i++)
		if (!g->nodes[i]->n_deps)
			put(&l, g->nodes[i], NULL);
	return end_list(&l, NULL, n);
}

CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
			 size_t *n)
{
	CUresult result = enter("cuGraphGetEdges", g, n);
	struct list l = { .first = from, .second = to, .room = result ? 0 : *n };

	if (result)
		return result;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
			put(&l, g->nodes[i]->deps[k], g->nodes[i]);
	return end_list(&l, data, n);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *deps, CUgraphEdgeData *data,
				    size_t *n)
{
	CUresult result = enter_node("cuGraphNodeGetDependencies", node, n);
	struct list l = { .first = deps, .room = result ? 0 : *n };

	if (result)
		return result;
	for (size_t i = 0; i < node->n_deps; i++)
		put(&l, node->deps[i], NULL);
	return end_list(&l, data, n);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
				      size_t *n)
{
	CUresult result = enter_node("cuGraphNodeGetDependentNodes", node, n);
	struct list l = { .first = nodes, .room = result ? 0 : *n };

	if (result)
		return result;
	for (size_t i = 0; i < node->graph->n; i++)
		if (graph_depends(node->graph->nodes[i], node))
			put(&l, node->graph->nodes[i], NULL);
	return end_list(&l, data, n);
}

/* ---- dependencies ---- */

static CUresult check_edges(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	if (n && (!from || !to))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (!graph_node_valid(from[i]) || !graph_node_valid(to[i]) || from[i]->graph != g ||
		    to[i]->graph != g || from[i] == to[i])
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult change_edges(const char *call, CUgraph g, const CUgraphNode *from,
			     const CUgraphNode *to, size_t n,
			     CUresult (*change)(CUgraphNode to, CUgraphNode from))
{
	CUresult result = enter(call, g, g);

	if (!result)
		result = check_edges(g, from, to, n);
	for (size_t i = 0; i < n && !result; i++)
		result = change(to[i], from[i]);
	return result;
}

static CUresult add_edge(CUgraphNode to, CUgraphNode from)
{
	return graph_depends(to, from) ? CUDA_ERROR_INVALID_VALUE : graph_depend(to, from);
}

static CUresult remove_edge(CUgraphNode to, CUgraphNode from)
{
	return graph_undepend(to, from) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				const CUgraphEdgeData *data, size_t n)
{
	(void)data;
	return change_edges("cuGraphAddDependencies", g, from, to, n, add_edge);
}

CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				   const CUgraphEdgeData *data, size_t n)
{
	(void)data;
	return change_edges("cuGraphRemoveDependencies", g, from, to, n, remove_edge);
}

/* ---- executable graphs ---- */

/* Launches by device code are not of graphs; the other flags change nothing here. */
static CUresult instantiate(CUgraphExec *ret, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;
	CUgraphExec e;

	params->hErrNode_out = NULL;
	params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
	if (!(params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH))
		result = graph_check_bodies(g, &params->result_out, &params->hErrNode_out);
	if (result)
		return result;
	e = handle_memory_take(&executables);
	result = e ? graph_clone(g, &e->graph) : CUDA_ERROR_OUT_OF_MEMORY;
	if (!result) {
		e->magic = GRAPH_EXEC_MAGIC;
		e->flags = params->flags;
		e->graph->owned = true;
		result = graph_put_in_order(e->graph);
		if (result)
			graph_free(e->graph);
		if (result == CUDA_ERROR_INVALID_VALUE)
			params->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
	}
	if (result) {
		handle_memory_give(&executables, e);
		return result;
	}
	params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	*ret = e;
	return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *ret, CUgraph g, unsigned long long flags)
{
	CUresult result = enter("cuGraphInstantiate", g, ret);

	return result ? result
		      : instantiate(ret, g, &(CUDA_GRAPH_INSTANTIATE_PARAMS){ .flags = flags });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *ret, CUgraph g,
				      CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUresult result = enter("cuGraphInstantiateWithParams", g, ret);

	if (!result && !params)
		result = CUDA_ERROR_INVALID_VALUE;
	return result ? result : instantiate(ret, g, params);
}

static CUresult enter_exec(const char *call, CUgraphExec e, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	return result                       ? result
	       : graph_exec_valid(e) && ret ? CUDA_SUCCESS
					    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecDestroy(CUgraphExec e)
{
	CUresult result = enter_exec("cuGraphExecDestroy", e, e);

	if (result)
		return result;
	e->magic = 0;
	graph_free(e->graph);
	handle_memory_give(&executables, e);
	return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec e, cuuint64_t *ret)
{
	CUresult result = enter_exec("cuGraphExecGetFlags", e, ret);

	if (!result)
		*ret = e->flags;
	return result;
}

CUresult cuGraphUpload(CUgraphExec e, CUstream stream)
{
	CUresult result = enter_exec("cuGraphUpload", e, e);

	return result || cu_stream_queue(stream) ? result : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream stream)
{
	CUresult result = enter_exec("cuGraphLaunch", e, e);
	CUgraphNodeParams child = { .type = CU_GRAPH_NODE_TYPE_GRAPH };

	if (result)
		return result;
	if (!cu_stream_queue(stream))
		return CUDA_ERROR_INVALID_HANDLE;
	child.graph.graph = e->graph;
	if (!capture_is_on(stream))
		return graph_run(e->graph, stream);
	return graph_is_conditional(e->graph) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
					      : capture_add(stream, &child);
}

/* ---- update ---- */

/* False: *ret names the node, and what it depends on, that differ. */
static bool same_topology(CUgraph exec, CUgraph g, CUgraphExecUpdateResultInfo *ret)
{
	if (exec->n != g->n)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		const struct CUgraphNode_st *from = g->nodes[i], *to = exec->nodes[i];

		ret->errorNode = g->nodes[i];
		if (to->n_deps != from->n_deps)
			return false;
		for (size_t k = 0; k < from->n_deps; k++) {
			ret->errorFromNode = from->deps[k];
			if (!graph_depends(to, exec->nodes[from->deps[k]->number]))
				return false;
		}
		ret->errorFromNode = NULL;
	}
	ret->errorNode = NULL;
	return true;
}

static CUgraphExecUpdateResult compare(CUgraph exec, CUgraph g, CUgraphExecUpdateResultInfo *ret);

static CUgraphExecUpdateResult compare_inner(CUgraphNode to, CUgraphNode from,
					     CUgraphExecUpdateResultInfo *ret)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
	size_t n, n_from;
	CUgraph *inner = graph_inner(to, &n), *inner_from = graph_inner(from, &n_from);

	if (n != n_from || (to->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
			    to->params.conditional.type != from->params.conditional.type))
		return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	for (size_t i = 0; i < n && !result; i++)
		result = compare(inner[i], inner_from[i], ret);
	return result;
}

/* Why the graph's nodes cannot take the place of the executable one's. */
static CUgraphExecUpdateResult compare(CUgraph exec, CUgraph g, CUgraphExecUpdateResultInfo *ret)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

	if (!same_topology(exec, g, ret))
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (size_t i = 0; i < g->n && !result; i++) {
		const CUgraphNodeParams *to = &exec->nodes[i]->params, *from = &g->nodes[i]->params;

		ret->errorNode = g->nodes[i];
		if (to->type != from->type)
			result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
		else if (to->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
			 to->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
			result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
		else
			result = compare_inner(exec->nodes[i], g->nodes[i], ret);
	}
	if (!result)
		ret->errorNode = NULL;
	return result;
}

static CUresult take_over(CUgraph exec, CUgraph g)
{
	CUresult result;

	graph_release_conditions(exec);
	result = graph_copy_conditions(exec, g);
	for (size_t i = 0; i < g->n && !result; i++) {
		CUgraphNode to = exec->nodes[i], from = g->nodes[i];

		if (to->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
			to->params.conditional.handle = from->params.conditional.handle;
			for (unsigned k = 0; k < to->params.conditional.size && !result; k++)
				result = take_over(to->params.conditional.phGraph_out[k],
						   from->params.conditional.phGraph_out[k]);
		} else {
			result = graph_node_set(to, &from->params);
			to->cooperative = from->cooperative;
		}
	}
	return result;
}

CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphExecUpdateResultInfo *ret)
{
	CUresult result = enter_exec("cuGraphExecUpdate", e, ret);

	if (result || !graph_valid(g))
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	*ret = (CUgraphExecUpdateResultInfo){ .result = CU_GRAPH_EXEC_UPDATE_SUCCESS };
	ret->result = compare(e->graph, g, ret);
	if (ret->result)
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	return take_over(e->graph, g);
}

static CUresult new_condition(CUgraph g, int device, unsigned preset, unsigned flags,
			      CUgraphConditionalHandle *ret)
{
	struct graph_condition *c;
	struct graph_memory *m;
	CUresult result = graph_memory_new(device, sizeof(preset), &m);

	if (result)
		return result;
	result = cuMemsetD32(m->address, 0, 1);
	c = result ? NULL : graph_condition_add(g);
	if (!c) {
		graph_memory_release(m);
		return result ? result : CUDA_ERROR_OUT_OF_MEMORY;
	}
	*c = (struct graph_condition){ m, preset, flags };
	*ret = m->address;
	return CUDA_SUCCESS;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *ret, CUgraph g, CUcontext c,
					unsigned int preset, unsigned int flags)
{
	CUresult result = enter("cuGraphConditionalHandleCreate", g, ret);

	if (!c)
		c = context_current();
	if (result || !context_valid(c) || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	return new_condition(g, context_device_of(c), preset, flags, ret);
}

CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned int flags)
{
	static const char *const names[] = { "KERNEL",         "MEMCPY",       "MEMSET",
					     "HOST",           "GRAPH",        "EMPTY",
					     "WAIT_EVENT",     "EVENT_RECORD", "EXT_SEMAS_SIGNAL",
					     "EXT_SEMAS_WAIT", "MEM_ALLOC",    "MEM_FREE",
					     "BATCH_MEM_OP",   "CONDITIONAL" };
	CUresult result = enter("cuGraphDebugDotPrint", g, path);
	FILE *f;

	(void)flags;
	if (result)
		return result;
	f = fopen(path, "we");
	if (!f)
		return CUDA_ERROR_OPERATING_SYSTEM;
	fputs("digraph graph_1 {\n", f);
	for (size_t i = 0; i < g->n; i++) {
		fprintf(f, "\tnode_%zu [label=\"%zu %s\"];\n", i, i,
			names[g->nodes[i]->params.type]);
		for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
			fprintf(f, "\tnode_%zu -> node_%zu;\n", g->nodes[i]->deps[k]->number, i);
	}
	fputs("}\n", f);
	return fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
