/* SPDX-License-Identifier: Apache-2.0 */
/* References of graphs to user objects, things of the cell that graphs keep alive. */
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/graphs/graphs.h"

struct session_object_reference *graphs_objects_find(const struct session_graph *g,
						     const struct session_user_object *o)
{
	for (uint32_t i = 0; i < g->objects.n; i++)
		if (session_at(&g->objects, struct session_object_reference, i)->object == o)
			return session_at(&g->objects, struct session_object_reference, i);
	return NULL;
}

cudaError_t graphs_objects_add(struct session_graph *g, struct session_user_object *o,
			       unsigned count)
{
	struct session_object_reference *h = graphs_objects_find(g, o);

	if (!h)
		h = session_append(&g->objects, struct session_object_reference);
	if (!h)
		return cudaErrorMemoryAllocation;
	h->object = o;
	h->count += count;
	return cudaSuccess;
}

cudaError_t graphs_objects_copy(struct session_graph *to, const struct session_graph *from)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < from->objects.n && !result; i++) {
		const struct session_object_reference *h =
			session_at(&from->objects, struct session_object_reference, i);

		result = graphs_objects_add(to, h->object, h->count);
		if (!result)
			h->object->references += h->count;
	}
	return result;
}

void graphs_objects_release(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->objects.n; i++) {
		const struct session_object_reference *h =
			session_at(&g->objects, struct session_object_reference, i);

		h->object->references -= h->count;
	}
	session_array_clear(&g->objects);
}
