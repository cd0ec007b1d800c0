/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux lets a device do atomic operations on a page of the host by taking the page away from the host for so long, which it
 * does for private memory only (make_device_exclusive() in its mm/). On a shared mapping the device finds no page that it may
 * have and the driver ends the context. Shared is what a cell has mapped so, and what it has allocated itself: memory that did
 * not exist before the cell is written in place until it ends (common/arena-layout.h).
 *
 * What is registered with the driver, managed and pinned memory, is reached in another way and takes part in atomic operations.
 * An address that device code has read from memory is not known before it runs.
 */
#include "runtime/cuda/hmm.h"


#include "common/address-map.h"
#include "common/buffer.h"
#include "common/worker-protocol.h"
#include "runtime/cuda/cudart.h"
#include "runtime/cuda/device-fault.h"
#include "runtime/cuda/device-state.h"
#include "runtime/cuda/held.h"
#include "runtime/cuda/host-mapping.h"
#include "runtime/cuda/ledger.h"
#include "runtime/cuda/ptx-writes.h"

static bool is_registered(uint64_t address)
{
	return ledger_find(address) || held_reaches(address, 1);
}

static bool is_shared_host(uint64_t address)
{
	struct host_mapping m;

	return address >= ARENA_PAGE && !address_in_device(address) && host_mapping_find(address, address + 1, &m) && m.shared;
}

static CUresult refuse(const char *ptx_name, const struct ptx_writes_base *b, uint64_t address)
{
	const char *name = device.host->name_of_pointer(address);
	cleanup_buffer struct buffer entry = BUFFER_INIT;

	device_fault_put_entry(ptx_name, &entry);
	cudart_explain("argument %u of %s, 0x%llx%s%s%s, is memory of the host that is mapped shared, and device code does atomic "
		       "operations there: on this GPU they would end its context. Take memory of cudaMallocManaged(), or of "
		       "cudaMalloc() and copy with cudaMemcpy()", b->parameter + 1, buffer_text(&entry), (unsigned long long)address,
		       *name ? " (`" : "", name, *name ? "`)" : "");
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* A set that has a pointer to memory of the device has indices beside it, however they look. */
static CUresult check_set(const char *ptx_name, const struct ptx_writes *w, const struct ptx_writes_set *s, void **args)
{
	const struct ptx_writes_base *shared = NULL;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct ptx_writes_base *b = &w->bases[s->first + i];
		uint64_t value = ptx_writes_value(w, b, args);

		if (is_registered(value))
			return CUDA_SUCCESS;
		if (!shared && b->parameter != PTX_WRITES_ADDRESS && is_shared_host(value))
			shared = b;
	}
	return shared ? refuse(ptx_name, shared, ptx_writes_value(w, shared, args)) : CUDA_SUCCESS;
}

CUresult hmm_check_launch(const char *ptx_name, const struct ptx_writes *w, void **args)
{
	CUresult result = CUDA_SUCCESS;

	if (!(device.info.traits & DEVICE_HMM) || !args)
		return CUDA_SUCCESS;
	for (uint32_t i = 0; i < w->n_sets && !result; i++)
		if (w->sets[i].atomic)
			result = check_set(ptx_name, w, &w->sets[i], args);
	return result;
}
