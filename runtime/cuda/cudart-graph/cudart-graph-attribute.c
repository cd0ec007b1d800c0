/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Graph Management: attributes of kernel nodes. A cooperative launch is one;
 * the others are advice, which is kept for who asks.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "runtime/cuda/graphs/graphs.h"

/* NULL: no kernel node. */
static struct session_launch *launch_of(cudaGraphNode_t node)
{
	struct session_node *n = graphs_node(node);

	return n && n->kind == NODE_LAUNCH ? &n->launch : NULL;
}

static cudaError_t set_attribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
				 const cudaKernelNodeAttrValue *value)
{
	struct session_launch *l = launch_of(node);

	if (!l || !value)
		return cudaErrorInvalidValue;
	switch (id) {
	case cudaKernelNodeAttributeCooperative:
		l->cooperative = value->cooperative;
		return cudaSuccess;
	case cudaKernelNodeAttributePriority:
		l->priority = value->priority;
		return cudaSuccess;
	case cudaKernelNodeAttributeAccessPolicyWindow:
		if (!(value->accessPolicyWindow.hitRatio >= 0 &&
		      value->accessPolicyWindow.hitRatio <= 1))
			return cudaErrorInvalidValue;
		l->window = value->accessPolicyWindow;
		return cudaSuccess;
	case cudaKernelNodeAttributeClusterDimension:
		return value->clusterDim.x <= 1 && value->clusterDim.y <= 1 &&
				       value->clusterDim.z <= 1
			       ? cudaSuccess
			       : cudaErrorNotSupported;
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
					    const cudaKernelNodeAttrValue *value)
{
	return CUDART_CALL(set_attribute(node, id, value));
}

static cudaError_t get_attribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
				 cudaKernelNodeAttrValue *ret)
{
	const struct session_launch *l = launch_of(node);

	if (!l || !ret)
		return cudaErrorInvalidValue;
	memset(ret, 0, sizeof(*ret));
	switch (id) {
	case cudaKernelNodeAttributeCooperative:
		ret->cooperative = l->cooperative;
		return cudaSuccess;
	case cudaKernelNodeAttributePriority:
		ret->priority = l->priority;
		return cudaSuccess;
	case cudaKernelNodeAttributeAccessPolicyWindow:
		ret->accessPolicyWindow = l->window;
		return cudaSuccess;
	case cudaKernelNodeAttributeClusterDimension:
		return cudaSuccess;
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
					    cudaKernelNodeAttrValue *ret)
{
	return CUDART_CALL(get_attribute(node, id, ret));
}

static cudaError_t copy_attributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
	struct session_launch *to = launch_of(dst);
	const struct session_launch *from = launch_of(src);

	if (!to || !from)
		return cudaErrorInvalidValue;
	to->cooperative = from->cooperative;
	to->priority = from->priority;
	to->window = from->window;
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
	return CUDART_CALL(copy_attributes(dst, src));
}
