/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session memory is mapped, so each chunk is opened by itself; what the driver has allocated on its
 * own, for arrays and for variables that stay in modules, is opened from context to context.
 */
#include "runtime/cuda/memory/peers.h"

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/session/session.h"

/* Between contexts, both of which exist from then on. */
static CUresult change(int ordinal, int peer, bool on)
{
	int before = device_current();
	CUresult result = device_switch(peer);

	if (!result)
		result = device_switch(ordinal);
	if (!result && on)
		result = device.driver->cuCtxEnablePeerAccess(device.contexts[peer].handle, 0);
	else if (!result)
		result = device.driver->cuCtxDisablePeerAccess(device.contexts[peer].handle);
	device_switch(before);
	return result;
}

CUresult peers_open(int ordinal, int peer)
{
	uint32_t *bits = &device.session->peers[ordinal];
	CUresult result;

	if (*bits >> peer & 1)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	result = change(ordinal, peer, true);
	if (result)
		return result;
	*bits |= 1u << peer;
	return vmm_pool_reach_changed();
}

CUresult peers_close(int ordinal, int peer)
{
	uint32_t *bits = &device.session->peers[ordinal];
	CUresult result;

	if (!(*bits >> peer & 1))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	result = change(ordinal, peer, false);
	if (result)
		return result;
	*bits &= ~(1u << peer);
	return vmm_pool_reach_changed();
}

CUresult peers_reopen(void)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < device.count && !result; i++)
		for (int peer = 0; peer < device.count && !result; peer++)
			if (device.session->peers[i] >> peer & 1)
				result = change(i, peer, true);
	return result;
}

bool peers_reach(int ordinal, const struct session_buffer *b)
{
	if (b->device == ordinal || b->kind >= BUFFER_MANAGED)
		return true;
	return b->pool ? b->pool->access >> ordinal & 1
		       : device.session->peers[ordinal] >> b->device & 1;
}
