/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of a node that is made are new; those of a copy are copies, which graph-content.c sees to.
 */
#include "emulator/driver/graph/graph-condition.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "emulator/driver/memory/graph-memory.h"

struct graph_condition *graph_condition_add(CUgraph g)
{
	return ARRAY_ROOM(g->conditions, g->n_conditions, &g->cap_conditions)
		       ? &g->conditions[g->n_conditions++]
		       : NULL;
}

CUresult graph_copy_conditions(CUgraph to, CUgraph from)
{
	for (size_t i = 0; i < from->n_conditions; i++) {
		struct graph_condition *c = graph_condition_add(to);

		if (!c)
			return CUDA_ERROR_OUT_OF_MEMORY;
		*c = from->conditions[i];
		graph_memory_hold(c->memory);
	}
	return CUDA_SUCCESS;
}

void graph_release_conditions(CUgraph g)
{
	for (size_t i = 0; i < g->n_conditions; i++)
		graph_memory_release(g->conditions[i].memory);
	free(g->conditions);
	g->conditions = NULL;
	g->n_conditions = g->cap_conditions = 0;
}

bool graph_is_conditional(CUgraph g)
{
	bool found = false;

	for (size_t i = 0; i < g->n && !found; i++)
		found = g->nodes[i]->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
	return found;
}

/* A node of g, or below it, looks at it. */
static bool is_used(CUgraph g, CUgraphConditionalHandle handle)
{
	bool used = false;

	for (size_t i = 0; i < g->n && !used; i++) {
		CUgraphNode node = g->nodes[i];
		size_t n;
		CUgraph *inner = graph_inner(node, &n);

		used = node->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
		       node->params.conditional.handle == handle;
		for (size_t k = 0; k < n && !used; k++)
			used = is_used(inner[k], handle);
	}
	return used;
}

/* A body may have device work, and graphs of it. */
static bool may_be_in_body(CUgraphNodeType type)
{
	return type <= CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH ||
	       type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

static CUresult check(CUgraph g, bool in_body, CUgraphInstantiateResult *ret_why,
		      CUgraphNode *ret_node)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < g->n_conditions; i++) {
		/* Two executable graphs would share the value. */
		if (g->conditions[i].memory->references > 1)
			return CUDA_ERROR_NOT_SUPPORTED;
		if (!is_used(g, g->conditions[i].memory->address)) {
			*ret_why = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	for (size_t i = 0; i < g->n && !result; i++) {
		CUgraphNodeType type = g->nodes[i]->params.type;
		size_t n;
		CUgraph *inner = graph_inner(g->nodes[i], &n);

		if (in_body && !may_be_in_body(type)) {
			*ret_why = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
			*ret_node = g->nodes[i];
			return CUDA_ERROR_INVALID_VALUE;
		}
		for (size_t k = 0; k < n && !result; k++)
			result = check(inner[k], in_body || type == CU_GRAPH_NODE_TYPE_CONDITIONAL,
				       ret_why, ret_node);
	}
	return result;
}

CUresult graph_check_bodies(CUgraph g, CUgraphInstantiateResult *ret_why, CUgraphNode *ret_node)
{
	return check(g, false, ret_why, ret_node);
}

CUresult graph_condition_take(CUgraphNode n)
{
	CUDA_CONDITIONAL_NODE_PARAMS *c = &n->params.conditional;
	unsigned size = c->size, max = c->type == CU_GRAPH_COND_TYPE_WHILE ? 1
				       : c->type == CU_GRAPH_COND_TYPE_IF  ? 2
									   : -1u;

	c->size = 0;
	c->phGraph_out = NULL;
	if ((unsigned)c->type > CU_GRAPH_COND_TYPE_SWITCH || !size || size > max ||
	    !graph_has_memory(c->handle))
		return CUDA_ERROR_INVALID_VALUE;
	c->phGraph_out = calloc(size, sizeof(*c->phGraph_out));
	n->block = c->phGraph_out;
	if (!n->block)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (; c->size < size; c->size++) {
		c->phGraph_out[c->size] = graph_new();
		if (!c->phGraph_out[c->size])
			return CUDA_ERROR_OUT_OF_MEMORY;
		c->phGraph_out[c->size]->owned = true;
	}
	return CUDA_SUCCESS;
}
