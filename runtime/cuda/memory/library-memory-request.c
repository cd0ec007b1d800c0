/* SPDX-License-Identifier: Apache-2.0 */
/* The cap is asked as for a request of a cell, and so are the others on this machine. */
#include "runtime/cuda/memory/library-memory-request.h"

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/vmm-pool.h"

/* Managed memory is not asked for its room on the device. */
static struct ledger_request request(const char *call, int device_number, uint64_t bytes,
				     bool taken)
{
	return (struct ledger_request){ .size = bytes,
					.device = device_number,
					.kind = taken ? BUFFER_MANAGED : BUFFER_MALLOC,
					.name = "",
					.call = call };
}

static CUresult reserve(const char *call, int device_number, uint64_t bytes, bool taken)
{
	struct ledger_request r = request(call, device_number, bytes, taken);
	CUresult result = CUDA_SUCCESS;

	if (!bytes || !device.session)
		return CUDA_SUCCESS;
	device_lock();
	result = ledger_admit(&r);
	if (result && device.host->caller_line) {
		/* Once more for the text: the line takes long to find, and is of use here only. */
		r.line = device.host->caller_line();
		result = ledger_admit(&r);
	} else if (!result && !taken) {
		result = vmm_pool_ask(device_number, bytes);
		if (result == CUDA_ERROR_OUT_OF_MEMORY)
			ledger_refuse_full(&r);
	}
	if (!result)
		library_memory_add_reserved(device_number, bytes);
	else if (result == CUDA_ERROR_OUT_OF_MEMORY)
		ledger_refusal_of_library();
	device_unlock();
	return result;
}

CUresult library_memory_reserve(const char *call, int device_number, uint64_t bytes)
{
	return reserve(call, device_number, bytes, false);
}

CUresult library_memory_reserve_taken(const char *call, int device_number, uint64_t bytes)
{
	return reserve(call, device_number, bytes, true);
}

void library_memory_take(int device_number, uint64_t bytes, CUresult result,
			 const struct library_memory *h)
{
	struct ledger_request r = request(h->call, device_number, bytes, false);

	library_memory_settle(device_number, bytes, result ? NULL : h);
	if (result != CUDA_ERROR_OUT_OF_MEMORY || !bytes || !device.session)
		return;
	device_lock();
	r.line = device.host->caller_line ? device.host->caller_line() : 0;
	ledger_refuse_full(&r);
	ledger_refusal_of_library();
	device_unlock();
}

CUresult library_memory_given_back(CUresult result, enum library_memory_kind kind, uint64_t key)
{
	if (!result)
		library_memory_drop(kind, key);
	return result;
}

/* A stack is there for each thread that the device can have at a time. */
static uint64_t threads_of(int device_number)
{
	int processors = 1, threads = 2048;

	device.driver->cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
					    device_number);
	device.driver->cuDeviceGetAttribute(
		&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device_number);
	return (uint64_t)processors * (uint64_t)threads;
}

static uint64_t limit_cost(int device_number, CUlimit limit, uint64_t value)
{
	uint64_t unit = limit == CU_LIMIT_STACK_SIZE ? threads_of(device_number) : 1;

	if (limit != CU_LIMIT_STACK_SIZE && limit != CU_LIMIT_PRINTF_FIFO_SIZE &&
	    limit != CU_LIMIT_MALLOC_HEAP_SIZE)
		return 0;
	return value > UINT64_MAX / unit ? UINT64_MAX : value * unit;
}

static uint64_t limit_key(int device_number, CUlimit limit)
{
	return (uint64_t)device_number << 32 | (uint64_t)limit;
}

/* Bytes that the value takes more than the one before are reserved, and those that it takes less
 * are free again. */
CUresult library_memory_limit_set(int device_number, CUlimit limit, size_t value)
{
	struct library_memory h = { .kind = LIBRARY_LIMIT,
				    .key = limit_key(device_number, limit),
				    .call = "cuCtxSetLimit" },
			      old;
	uint64_t growth, cost = limit_cost(device_number, limit, value), had;
	size_t before;
	CUresult result = device.driver->cuCtxGetLimit(&before, limit);

	if (result)
		return result;
	had = limit_cost(device_number, limit, before);
	growth = cost > had ? cost - had : 0;
	result = library_memory_reserve(h.call, device_number, growth);
	if (result)
		return result;
	result = device.driver->cuCtxSetLimit(limit, value);
	if (library_memory_find(LIBRARY_LIMIT, h.key, &old))
		h.bytes = old.bytes;
	h.bytes += growth;
	h.bytes -= had > cost && had - cost < h.bytes ? had - cost : had > cost ? h.bytes : 0;
	library_memory_settle(device_number, growth, result ? NULL : &h);
	return result;
}
