/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a graph has the conditions of the graph; the memory of a value goes with the last one
 * that has it. */
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/memory/ledger.h"

static struct session_condition *find(const struct session_graph *g,
				      cudaGraphConditionalHandle handle)
{
	for (uint32_t i = 0; i < g->conditions.n; i++)
		if (graphs_condition_at(g, i)->handle == handle)
			return graphs_condition_at(g, i);
	return NULL;
}

const struct session_graph *graphs_conditions_holder(const struct session_graph *g,
						     cudaGraphConditionalHandle handle)
{
	for (uint32_t i = 0; i < device.session->graphs.n; i++)
		if (graphs_at(i) != g && find(graphs_at(i), handle))
			return graphs_at(i);
	return NULL;
}

cudaError_t graphs_conditions_copy(struct session_graph *to, const struct session_graph *from)
{
	for (uint32_t i = 0; i < from->conditions.n; i++) {
		struct session_condition *c =
			session_append(&to->conditions, struct session_condition);

		if (!c)
			return cudaErrorMemoryAllocation;
		*c = *graphs_condition_at(from, i);
	}
	return cudaSuccess;
}

void graphs_conditions_release(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->conditions.n; i++) {
		struct session_buffer *b = ledger_find(graphs_condition_at(g, i)->handle);

		if (b && !graphs_conditions_holder(g, graphs_condition_at(g, i)->handle))
			ledger_free(b);
	}
	session_array_clear(&g->conditions);
}
