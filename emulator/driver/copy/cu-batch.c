/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: several copies, prefetches or discards by one call. Those of a batch are in no order;
 * here they are in one. Managed memory lies where both sides reach it, and what is discarded may
 * have any value, so the last two have nothing to do.
 */
#include "common/cuda/batch-starts.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/memory/cu-array.h"
#include "emulator/driver/stream/cu-stream.h"

static bool is_access_order(CUmemcpySrcAccessOrder order)
{
	return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
	       order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* With sources that must not be read when the call is over it waits. */
static CUresult end_batch(bool during_call, CUstream s)
{
	return during_call && !capture_is_on(s) ? cuStreamSynchronize(s) : CUDA_SUCCESS;
}

/* A batch has a stream, which is not the legacy default one. */
static CUresult enter(const char *call, size_t count, unsigned long long flags, CUstream s)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!count || flags || !s || s == CU_STREAM_LEGACY)
		return CUDA_ERROR_INVALID_VALUE;
	return cu_stream_queue(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
			    CUmemcpyAttributes *attributes, size_t *starts, size_t n, CUstream s)
{
	CUresult result = enter("cuMemcpyBatchAsync", count, 0, s);
	bool during_call = false;

	if (result || !dsts || !srcs || !sizes || !attributes ||
	    !batch_starts_are_right(starts, n, count))
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		if (!is_access_order(attributes[i].srcAccessOrder))
			return CUDA_ERROR_INVALID_VALUE;
		during_call |=
			attributes[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
	}
	for (size_t i = 0; i < count && !result; i++)
		result = cuMemcpyAsync(dsts[i], srcs[i], sizes[i], s);
	return result ? result : end_batch(during_call, s);
}

/* ---- boxes ---- */

/* One side as cuMemcpy3D() has it; element: bytes of one of the array that takes part, else 1. */
struct side {
	CUmemorytype type;
	CUarray array;
	CUdeviceptr address;
	size_t x, y, z, pitch, height;
};

static bool take_operand(const CUmemcpy3DOperand *o, const CUextent3D *extent, size_t element,
			 struct side *ret)
{
	size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent->width;
	size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent->height;

	if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
		*ret = (struct side){ .type = CU_MEMORYTYPE_ARRAY,
				      .array = o->op.array.array,
				      .x = o->op.array.offset.x * element,
				      .y = o->op.array.offset.y,
				      .z = o->op.array.offset.z };
		return cu_array_valid(ret->array);
	}
	*ret = (struct side){ .type = CU_MEMORYTYPE_UNIFIED,
			      .address = o->op.ptr.ptr,
			      .pitch = row * element,
			      .height = rows };
	return o->type == CU_MEMCPY_OPERAND_TYPE_POINTER && o->op.ptr.ptr && row >= extent->width &&
	       rows >= extent->height;
}

static size_t element_of(const CUmemcpy3DOperand *o)
{
	return o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY && cu_array_valid(o->op.array.array)
		       ? cu_array_element(o->op.array.array)
		       : 1;
}

static bool describe(const CUDA_MEMCPY3D_BATCH_OP *op, CUDA_MEMCPY3D *ret)
{
	size_t from = element_of(&op->src), to = element_of(&op->dst),
	       element = from > to ? from : to;
	struct side src, dst;

	if (!op->extent.width || !op->extent.height || !op->extent.depth ||
	    !is_access_order(op->srcAccessOrder) || (from != to && from != 1 && to != 1) ||
	    !take_operand(&op->src, &op->extent, element, &src) ||
	    !take_operand(&op->dst, &op->extent, element, &dst))
		return false;
	*ret = (CUDA_MEMCPY3D){
		.srcMemoryType = src.type,
		.srcArray = src.array,
		.srcDevice = src.address,
		.srcXInBytes = src.x,
		.srcY = src.y,
		.srcZ = src.z,
		.srcPitch = src.pitch,
		.srcHeight = src.height,
		.dstMemoryType = dst.type,
		.dstArray = dst.array,
		.dstDevice = dst.address,
		.dstXInBytes = dst.x,
		.dstY = dst.y,
		.dstZ = dst.z,
		.dstPitch = dst.pitch,
		.dstHeight = dst.height,
		.WidthInBytes = op->extent.width * element,
		.Height = op->extent.height,
		.Depth = op->extent.depth,
	};
	return true;
}

CUresult cuMemcpy3DBatchAsync(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags,
			      CUstream s)
{
	CUresult result = enter("cuMemcpy3DBatchAsync", n, flags, s);
	bool during_call = false;
	CUDA_MEMCPY3D c;

	if (result || !ops)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (!describe(&ops[i], &c))
			return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n && !result; i++) {
		describe(&ops[i], &c);
		result = cuMemcpy3DAsync(&c, s);
		during_call |= ops[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
	}
	return result ? result : end_batch(during_call, s);
}

/* ---- managed memory ---- */

static CUresult check_ranges(const CUdeviceptr *p, const size_t *sizes, size_t count)
{
	struct mapping m;

	if (!p || !sizes)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		if (!sizes[i] || !memory_find_mapping(p[i], &m) || !m.managed ||
		    p[i] + sizes[i] > m.address + m.size)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult prefetch(const char *call, const CUdeviceptr *p, const size_t *sizes, size_t count,
			 const CUmemLocation *locations, const size_t *starts, size_t n,
			 unsigned long long flags, CUstream s)
{
	CUresult result = enter(call, count, flags, s);

	if (result || !locations || !batch_starts_are_right(starts, n, count))
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (locations[i].type == CU_MEM_LOCATION_TYPE_DEVICE && !gpu_has(locations[i].id))
			return CUDA_ERROR_INVALID_DEVICE;
	return check_ranges(p, sizes, count);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count,
				 CUmemLocation *locations, size_t *starts, size_t n,
				 unsigned long long flags, CUstream s)
{
	return prefetch("cuMemPrefetchBatchAsync", p, sizes, count, locations, starts, n, flags, s);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count,
					   CUmemLocation *locations, size_t *starts, size_t n,
					   unsigned long long flags, CUstream s)
{
	return prefetch("cuMemDiscardAndPrefetchBatchAsync", p, sizes, count, locations, starts, n,
			flags, s);
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count,
				unsigned long long flags, CUstream s)
{
	CUresult result = enter("cuMemDiscardBatchAsync", count, flags, s);

	return result ? result : check_ranges(p, sizes, count);
}
