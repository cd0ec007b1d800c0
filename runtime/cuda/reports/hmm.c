/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux lets a device do atomic operations on a page of the host by taking the page away from the
 * host for so long, which it does for private memory only (make_device_exclusive() in its mm/). On
 * a shared mapping the device finds no page that it may have and the driver ends the context.
 * Shared is what a cell has mapped so, and what it has allocated itself: memory that did not exist
 * before the cell is written in place until it ends (common/memory/arena-layout.h).
 *
 * What is registered with the driver, managed and pinned memory, is reached in another way and
 * takes part in atomic operations. An address that device code has read from memory is not known
 * before it runs.
 *
 * A checked cell of such a session runs on the emulated device, which then asks here for what the
 * host has at an address. It is stricter than the GPU: what lies between blocks of the session, or
 * was freed, is no memory.
 */
#include "runtime/cuda/reports/hmm.h"

#include <stdio.h>

#include "common/base/buffer.h"
#include "common/cuda/emulator-extension.h"
#include "common/memory/address-map.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/host-mapping.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/ptx/ptx-writes.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/reports/kernel-name.h"

static bool is_registered(uint64_t address)
{
	return ledger_find(address) || library_memory_reaches(address, 1);
}

static bool is_shared_host(uint64_t address)
{
	struct host_mapping m;

	return address >= ARENA_PAGE && !address_in_device(address) &&
	       host_mapping_find(address, address + 1, &m) && m.shared;
}

static CUresult refuse(const char *ptx_name, const struct ptx_writes_base *b, uint64_t address)
{
	const char *name = device.host->name_of_pointer(address);
	cleanup_buffer struct buffer kernel = BUFFER_INIT;

	kernel_name_put(ptx_name, &kernel);
	call_errors_explain(
		"argument %u of %s, 0x%llx%s%s%s, is memory of the host that is mapped shared, and "
		"device code does atomic operations there: on this GPU they would end its context. "
		"Take memory of cudaMallocManaged(), or of cudaMalloc() and copy with cudaMemcpy()",
		b->parameter + 1, buffer_text(&kernel), (unsigned long long)address,
		*name ? " (`" : "", name, *name ? "`)" : "");
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* A set that has a pointer to memory of the device has indices beside it, however they look. */
static CUresult check_set(const char *ptx_name, const struct ptx_writes *w,
			  const struct ptx_writes_set *s, void **args)
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

/* Data and heap are writable anyway, and the question comes often. */
static bool is_writable(uint64_t address)
{
	struct host_mapping m;

	return address_in_heap(address) ||
	       address - ARENA_BASE - ARENA_DATA_OFFSET < ARENA_DATA_SIZE ||
	       (host_mapping_find(address, address + 1, &m) && m.writable);
}

static int find_mapping(uint64_t address, struct emulator_host_memory *ret)
{
	struct host_mapping m;

	if (address_in_heap(address) || !host_mapping_find(address, address + 1, &m) || !m.readable)
		return 0;
	*ret = (struct emulator_host_memory){ .address = m.start,
					      .size = m.end - m.start,
					      .read_only = !m.writable };
	return 1;
}

int hmm_find_host(uint64_t address, struct emulator_host_memory *ret)
{
	struct address_description d;

	device.host->describe(address, &d);
	/* Behind a block that fills its place there is nothing to tell which block it was. */
	if (d.owner == OWNER_UNKNOWN && address_in_heap(address)) {
		device.host->describe(address - 1, &d);
		d.owner = d.owner == OWNER_HEAP ? OWNER_HEAP_NEAR : OWNER_UNKNOWN;
	}
	switch (d.owner) {
	case OWNER_NULL:
		return 0;
	case OWNER_HEAP:
	case OWNER_HEAP_FREED:
	case OWNER_HEAP_NEAR:
	case OWNER_VARIABLE:
		*ret = (struct emulator_host_memory){ .address = d.base,
						      .size = d.size,
						      .freed = d.owner == OWNER_HEAP_FREED,
						      .read_only = !is_writable(d.base),
						      .cell = d.cell,
						      .freed_cell = d.freed_cell };
		snprintf(ret->name, sizeof(ret->name), "%s", d.name);
		return 1;
	default:
		return find_mapping(address, ret);
	}
}

void hmm_put_fault(CUresult code, struct buffer *out)
{
	if (code == CUDA_ERROR_ILLEGAL_ADDRESS && device.info.traits & DEVICE_HMM &&
	    !device.driver->extension)
		buffer_puts(out,
			    "This GPU reaches all memory of the host (HMM), so the address is one "
			    "where nothing is mapped, or that may not be written.\nA pointer to a "
			    "wrong place in memory of the host would have been no fault.\n");
}
