/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Graph Management: what a graph consists of, its dependencies, and its
 * drawing in DOT. */
#include "runtime/cuda/cudart/cudart.h"

#include <stdio.h>
#include <string.h>

#include "runtime/cuda/graphs/graphs.h"

/* An answer that is a list: as many as the caller has room for, the rest of the room is NULL, then
 * how many there are. */
struct list {
	cudaGraphNode_t *nodes;
	cudaGraphNode_t *to; /* of edges, otherwise NULL */
	cudaGraphEdgeData *edge_data;
	size_t room, n;
};

static void put(struct list *l, const struct session_node *n, const struct session_node *to)
{
	if (l->nodes && l->n < l->room)
		l->nodes[l->n] = (cudaGraphNode_t)n;
	if (l->to && l->n < l->room)
		l->to[l->n] = (cudaGraphNode_t)to;
	if (l->edge_data && l->n < l->room)
		memset(&l->edge_data[l->n], 0, sizeof(l->edge_data[l->n]));
	l->n++;
}

static cudaError_t finish(struct list *l, size_t *ret)
{
	for (size_t i = l->n; l->nodes && i < l->room; i++) {
		l->nodes[i] = NULL;
		if (l->to)
			l->to[i] = NULL;
	}
	*ret = l->nodes && l->room < l->n ? l->room : l->n;
	return cudaSuccess;
}

/* roots: those that depend on nothing. */
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n, bool roots)
{
	const struct session_graph *g = graphs_find(graph, false);
	struct list l = { .nodes = nodes };

	if (!g || !n)
		return cudaErrorInvalidValue;
	l.room = *n;
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (!roots || !graphs_node_at(g, i)->deps.n)
			put(&l, graphs_node_at(g, i), NULL);
	return finish(&l, n);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return CUDART_CALL(list_nodes(graph, nodes, n, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return CUDART_CALL(list_nodes(graph, nodes, n, true));
}

static cudaError_t list_edges(cudaGraph_t graph, struct list *l, size_t *n)
{
	const struct session_graph *g = graphs_find(graph, false);

	if (!g || !n || !l->nodes != !l->to)
		return cudaErrorInvalidValue;
	l->room = *n;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct session_node *to = graphs_node_at(g, i);

		for (uint32_t k = 0; k < to->deps.n; k++)
			put(l, *session_at(&to->deps, struct session_node *, k), to);
	}
	return finish(l, n);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
			      cudaGraphEdgeData *data, size_t *n)
{
	struct list l = { .nodes = from, .to = to, .edge_data = data };

	return CUDART_CALL(list_edges(graph, &l, n));
}

static cudaError_t list_dependencies(cudaGraphNode_t node, struct list *l, size_t *n,
				     bool dependent)
{
	const struct session_node *of = graphs_node(node);

	if (!of || !n)
		return cudaErrorInvalidValue;
	l->room = *n;
	for (uint32_t k = 0; !dependent && k < of->deps.n; k++)
		put(l, *session_at(&of->deps, struct session_node *, k), NULL);
	for (uint32_t i = 0; dependent && i < of->graph->nodes.n; i++)
		if (graphs_depends(graphs_node_at(of->graph, i), of))
			put(l, graphs_node_at(of->graph, i), NULL);
	return finish(l, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
					 cudaGraphEdgeData *data, size_t *n)
{
	struct list l = { .nodes = deps, .edge_data = data };

	return CUDART_CALL(list_dependencies(node, &l, n, false));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					   cudaGraphEdgeData *data, size_t *n)
{
	struct list l = { .nodes = nodes, .edge_data = data };

	return CUDART_CALL(list_dependencies(node, &l, n, true));
}

static cudaError_t type_of(cudaGraphNode_t node, enum cudaGraphNodeType *ret)
{
	const struct session_node *n = graphs_node(node);

	if (!n || !ret)
		return cudaErrorInvalidValue;
	*ret = graphs_type(n);
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *ret)
{
	return CUDART_CALL(type_of(node, ret));
}

static cudaError_t find_in_clone(cudaGraphNode_t *ret, cudaGraphNode_t node, cudaGraph_t clone)
{
	const struct session_graph *g = graphs_find(clone, false);
	const struct session_node *n = graphs_node(node);
	struct session_node *found = g && n ? graphs_copy_of(g, n) : NULL;

	if (!ret || !found)
		return cudaErrorInvalidValue;
	*ret = (cudaGraphNode_t)found;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *ret, cudaGraphNode_t node, cudaGraph_t clone)
{
	return CUDART_CALL(find_in_clone(ret, node, clone));
}

/* Memory nodes stay, as the manual says. */
static cudaError_t destroy_node(cudaGraphNode_t node)
{
	struct session_node *n;
	cudaError_t result = cudaErrorInvalidValue;

	device_lock();
	n = graphs_node(node);
	if (n && (n->kind == NODE_ALLOC || n->kind == NODE_FREE)) {
		result = cudaErrorNotSupported;
	} else if (n) {
		graphs_remove(n);
		result = cudaSuccess;
	}
	device_unlock();
	return result ? result : cudart_end_objects();
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	return CUDART_CALL(destroy_node(node));
}

static cudaError_t change_dependency(const struct session_graph *g, cudaGraphNode_t from,
				     cudaGraphNode_t to, bool removed)
{
	struct session_node *n = graphs_node(to), *on = graphs_node(from);
	bool there = n && on && graphs_depends(n, on);

	if (!n || !on || n == on || n->graph != g || on->graph != g || there != removed)
		return cudaErrorInvalidValue;
	if (!removed)
		return graphs_depend(n, on);
	for (uint32_t k = n->deps.n; k-- > 0;)
		if (*session_at(&n->deps, struct session_node *, k) == on)
			session_remove(&n->deps, sizeof(void *), k);
	return cudaSuccess;
}

static cudaError_t change_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				       const cudaGraphNode_t *to, size_t n, bool removed)
{
	const struct session_graph *g;
	cudaError_t result;

	device_lock();
	g = graphs_find(graph, false);
	result = g && (!n || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !result; i++)
		result = change_dependency(g, from[i], to[i], removed);
	device_unlock();
	return result;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
				     size_t n)
{
	(void)data;
	return CUDART_CALL(change_dependencies(graph, from, to, n, false));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
					size_t n)
{
	(void)data;
	return CUDART_CALL(change_dependencies(graph, from, to, n, true));
}

static const char *kind_name(const struct session_node *n)
{
	static const char *const names[] = {
		[cudaGraphNodeTypeKernel] = "KERNEL",
		[cudaGraphNodeTypeMemcpy] = "MEMCPY",
		[cudaGraphNodeTypeMemset] = "MEMSET",
		[cudaGraphNodeTypeHost] = "HOST",
		[cudaGraphNodeTypeGraph] = "GRAPH",
		[cudaGraphNodeTypeEmpty] = "EMPTY",
		[cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
		[cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
		[cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
		[cudaGraphNodeTypeMemFree] = "MEM_FREE",
		[cudaGraphNodeTypeConditional] = "CONDITIONAL",
	};

	return names[graphs_type(n)];
}

static void draw(FILE *f, const struct session_graph *g, const char *prefix);

static void draw_inner(FILE *f, const struct session_node *n, const char *prefix)
{
	uint32_t count;
	struct session_graph *const *inner = graphs_inner(n, &count);
	char name[200];

	for (uint32_t i = 0; i < count; i++)
		if (snprintf(name, sizeof(name), "%s_%u_%u", prefix, n->number, i) <
		    (int)sizeof(name))
			draw(f, inner[i], name);
}

/* prefix: numbers of the nodes that the graph lies in, so that names differ. */
static void draw(FILE *f, const struct session_graph *g, const char *prefix)
{
	fprintf(f, "subgraph cluster_%s {\nlabel=\"graph_%s\" graph[style=\"dashed\"];\n", prefix,
		prefix);
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct session_node *n = graphs_node_at(g, i);

		fprintf(f, "\"graph_%s_node_%u\"[style=\"bold\" shape=\"%s\" label=\"%u\\n%s",
			prefix, i, n->kind == NODE_LAUNCH ? "octagon" : "rectangle", i,
			kind_name(n));
		if (n->kind == NODE_LAUNCH)
			fprintf(f, "\\n%s\\n<<<(%u,%u,%u),(%u,%u,%u),%zu>>>", n->launch.name,
				n->launch.grid.x, n->launch.grid.y, n->launch.grid.z,
				n->launch.block.x, n->launch.block.y, n->launch.block.z,
				n->launch.shared);
		fprintf(f, "\"];\n");
		for (uint32_t k = 0; k < n->deps.n; k++)
			fprintf(f, "\"graph_%s_node_%u\" -> \"graph_%s_node_%u\";\n", prefix,
				(*session_at(&n->deps, struct session_node *, k))->number, prefix,
				i);
		draw_inner(f, n, prefix);
	}
	fprintf(f, "}\n");
}

static cudaError_t print_dot(cudaGraph_t graph, const char *path)
{
	const struct session_graph *g = graphs_find(graph, false);
	FILE *f = g && path ? fopen(path, "we") : NULL;

	if (!g || !path)
		return cudaErrorInvalidValue;
	if (!f)
		return cudaErrorOperatingSystem;
	fprintf(f, "digraph dot {\n");
	draw(f, g, "0");
	fprintf(f, "}\n");
	return fclose(f) ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	(void)flags;
	return CUDART_CALL(print_dot(graph, path));
}

/* Memory of nodes is taken when the node is made and given back with its graph, so none is kept in
 * reserve. */
static uint64_t memory_of_graphs(int ordinal)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->device == ordinal && graphs_have_memory(b->address))
			sum += b->size;
	}
	return sum;
}

static cudaError_t memory_attribute(int ordinal, enum cudaGraphMemAttributeType attribute,
				    void *value, bool set)
{
	bool high = attribute == cudaGraphMemAttrUsedMemHigh ||
		    attribute == cudaGraphMemAttrReservedMemHigh;
	uint64_t now, *most;

	if (!cudart_has_device(ordinal))
		return cudaErrorInvalidDevice;
	if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh ||
	    (set && (!high || *(uint64_t *)value)))
		return cudaErrorInvalidValue;
	device_lock();
	most = &device.session->graph_memory_high[ordinal];
	now = memory_of_graphs(ordinal);
	if (set || now > *most)
		*most = now;
	if (!set)
		*(uint64_t *)value = high ? *most : now;
	device_unlock();
	return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attribute,
					   void *value)
{
	return CUDART_CALL(memory_attribute(ordinal, attribute, value, false));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attribute,
					   void *value)
{
	return CUDART_CALL(memory_attribute(ordinal, attribute, value, true));
}

cudaError_t cudaDeviceGraphMemTrim(int ordinal)
{
	return CUDART_CALL(cudart_has_device(ordinal) ? cudaSuccess : cudaErrorInvalidDevice);
}
