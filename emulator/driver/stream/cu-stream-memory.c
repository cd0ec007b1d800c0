/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: values in memory that a stream writes or waits for, and batches of copies. A stream
 * that waits looks at the memory from time to time; when nobody is left who could write there, that
 * is a deadlock, as of a launch that spins.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emulator/driver/device/memory.h"
#include "emulator/driver/stream/cu-stream.h"
#include "emulator/ptx/machine-limits.h"

#define LOOK_NS 50000
#define COUNT_MAX 256

struct value {
	enum { VALUE_WRITE, VALUE_WAIT } kind;
	unsigned flags;
	unsigned size;
	void *bytes;
	uint64_t address, value;
};

struct values {
	unsigned count;
	struct value at[];
};

static bool holds(const struct value *v)
{
	uint64_t now = v->size == 4 ? __atomic_load_n((uint32_t *)v->bytes, __ATOMIC_ACQUIRE)
				    : __atomic_load_n((uint64_t *)v->bytes, __ATOMIC_ACQUIRE);

	switch (v->flags & 3) {
	case CU_STREAM_WAIT_VALUE_GEQ:
		return v->size == 4 ? (int32_t)((uint32_t)now - (uint32_t)v->value) >= 0
				    : (int64_t)(now - v->value) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == v->value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & v->value;
	default:
		return ~(now | v->value) & (v->size == 4 ? UINT32_MAX : UINT64_MAX);
	}
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void wait_for(const struct value *v)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	time_t since = seconds();

	while (!holds(v) && !gpu_is_dead() && !gpu.halt) {
		if (seconds() - since > MACHINE_STALL_SECONDS) {
			if (!queue_may_free(queue_running())) {
				gpu_break(CUDA_ERROR_LAUNCH_TIMEOUT,
					  "Deadlock: a stream waits for a value in memory that "
					  "nobody is left to write");
				return;
			}
			since = seconds();
		}
		nanosleep(&look, NULL);
	}
}

static void write_value(const struct value *v)
{
	if (v->size == 4)
		__atomic_store_n((uint32_t *)v->bytes, (uint32_t)v->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)v->bytes, v->value, __ATOMIC_RELEASE);
	memory_written(v->address, v->size);
}

static void run_values(void *data)
{
	const struct values *all = data;

	for (unsigned i = 0; i < all->count && !gpu_is_dead(); i++)
		if (all->at[i].kind == VALUE_WAIT)
			wait_for(&all->at[i]);
		else
			write_value(&all->at[i]);
}

/* False in *ret_any: the operation orders what is in order anyway. */
static CUresult read_operation(const CUstreamBatchMemOpParams *p, struct value *ret, bool *ret_any)
{
	*ret_any = true;
	switch (p->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		*ret = (struct value){ .kind = VALUE_WAIT,
				       .flags = p->waitValue.flags,
				       .size = p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? 4
											      : 8,
				       .address = p->waitValue.address };
		ret->value = ret->size == 4 ? p->waitValue.value : p->waitValue.value64;
		break;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		*ret = (struct value){ .kind = VALUE_WRITE,
				       .flags = p->writeValue.flags,
				       .size = p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4
											       : 8,
				       .address = p->writeValue.address };
		ret->value = ret->size == 4 ? p->writeValue.value : p->writeValue.value64;
		break;
	case CU_STREAM_MEM_OP_BARRIER:
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
		*ret_any = false;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!ret->address || ret->address % ret->size)
		return CUDA_ERROR_INVALID_VALUE;
	ret->bytes = memory_is_device(ret->address)
			     ? memory_bytes(ret->address, ret->size, ret->kind == VALUE_WRITE)
			     : (void *)(uintptr_t)ret->address;
	return ret->bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult batch(const char *call, CUstream s, unsigned count,
		      CUstreamBatchMemOpParams *params, unsigned flags)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(s);
	struct values *all;
	struct work *w;
	bool any;

	if (result)
		return result;
	if (!q)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags || !params || count > COUNT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (capture_is_on(s))
		return capture_add(s,
				   &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
							 .memOp = { NULL, count, params, flags } });
	w = work_new(WORK_DEVICE, run_values, sizeof(*all) + count * sizeof(all->at[0]),
		     (void **)&all);
	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	all->count = 0;
	for (unsigned i = 0; i < count && !result; i++) {
		result = read_operation(&params[i], &all->at[all->count], &any);
		all->count += any;
	}
	if (!result)
		return queue_take(q, w);
	work_release(w);
	return result;
}

CUresult cuStreamBatchMemOp(CUstream s, unsigned int count, CUstreamBatchMemOpParams *params,
			    unsigned int flags)
{
	return batch("cuStreamBatchMemOp", s, count, params, flags);
}

CUresult cuStreamWaitValue32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
	return batch("cuStreamWaitValue32", s, 1,
		     &(CUstreamBatchMemOpParams){
			     .waitValue = { .operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
					    .address = address,
					    .value = value,
					    .flags = flags } },
		     0);
}

CUresult cuStreamWaitValue64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
	return batch("cuStreamWaitValue64", s, 1,
		     &(CUstreamBatchMemOpParams){
			     .waitValue = { .operation = CU_STREAM_MEM_OP_WAIT_VALUE_64,
					    .address = address,
					    .value64 = value,
					    .flags = flags } },
		     0);
}

CUresult cuStreamWriteValue32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
	return batch("cuStreamWriteValue32", s, 1,
		     &(CUstreamBatchMemOpParams){
			     .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
					     .address = address,
					     .value = value,
					     .flags = flags } },
		     0);
}

CUresult cuStreamWriteValue64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
	return batch("cuStreamWriteValue64", s, 1,
		     &(CUstreamBatchMemOpParams){
			     .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
					     .address = address,
					     .value64 = value,
					     .flags = flags } },
		     0);
}
