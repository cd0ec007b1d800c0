/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Memory Management: copies of boxes, between linear memory and arrays; and
 * fills of boxes. All of them are one copy of the driver in three dimensions. The linear side is
 * checked against the ledger here, the side of an array by the driver, which knows its extent.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/rollback/images.h"
#include "runtime/cuda/session/capture.h"

/* The beginning of one side of a copy. */
struct side {
	struct session_image *image; /* NULL: linear memory */
	cudaArray_const_t array;     /* a cell's handle, to be looked up */
	const void *p;
	size_t pitch, rows; /* of linear memory: bytes from row to row, rows from slice to slice */
	size_t x, y, z;     /* x in bytes */
};

struct box {
	size_t width, height, depth; /* width in bytes */
};

/* How a copy is done. */
struct way {
	enum cudaMemcpyKind kind;
	bool async;
	cudaStream_t stream;
};

static cudaError_t prepare_side(struct side *s, const struct box *b, enum cudaMemcpyKind kind,
				bool written)
{
	bool device_side = kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice ||
			   kind == (written ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);

	if (s->array) {
		s->image = images_find(s->array);
		if (!s->image)
			return cudaErrorInvalidResourceHandle;
		if (!device_side)
			return (int)kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault
				       ? cudaErrorInvalidMemcpyDirection
				       : cudaErrorInvalidValue;
		return written ? cudart_error(images_before_write(s->image)) : cudaSuccess;
	}
	if (s->pitch < b->width && (b->height > 1 || b->depth > 1))
		return cudaErrorInvalidPitchValue;
	return cudart_prepare_side(s->p,
				   ((s->z + b->depth - 1) * s->rows + s->y + b->height - 1) *
						   s->pitch +
					   s->x + b->width,
				   kind, written);
}

static CUDA_MEMCPY3D describe(const struct side *dst, const struct side *src, const struct box *b)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = src->image ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.srcArray = src->image ? src->image->handle : NULL,
		.srcDevice = (uintptr_t)src->p,
		.srcXInBytes = src->x,
		.srcY = src->y,
		.srcZ = src->z,
		.srcPitch = src->pitch,
		.srcHeight = src->rows,
		.dstMemoryType = dst->image ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.dstArray = dst->image ? dst->image->handle : NULL,
		.dstDevice = (uintptr_t)dst->p,
		.dstXInBytes = dst->x,
		.dstY = dst->y,
		.dstZ = dst->z,
		.dstPitch = dst->pitch,
		.dstHeight = dst->rows,
		.WidthInBytes = b->width,
		.Height = b->height,
		.Depth = b->depth,
	};
}

static cudaError_t copy(struct side *dst, struct side *src, const struct box *b,
			const struct way *w)
{
	CUDA_MEMCPY3D c;
	cudaError_t result;
	CUstream s = NULL;

	if (!b->width || !b->height || !b->depth)
		return cudaSuccess;
	device_lock();
	result = cudart_error(images_ready());
	if (!result)
		result = prepare_side(src, b, w->kind, false);
	if (!result)
		result = prepare_side(dst, b, w->kind, true);
	if (!result)
		result = cudart_stream(w->stream, &s);
	if (!result)
		c = describe(dst, src, b);
	device_unlock();
	if (result)
		return result;
	if (!w->async)
		device_wait_stream(NULL);
	return w->async ? CUDART_WAIT(device.driver->cuMemcpy3DAsync(&c, s))
			: CUDART_WAIT(device.driver->cuMemcpy3D(&c));
}

static size_t element_of(cudaArray_const_t array)
{
	const struct session_image *i;
	size_t bytes;

	device_lock();
	i = images_find(array);
	bytes = i ? images_element(i) : 0;
	device_unlock();
	return bytes;
}

/* Positions in an array and, if there is one, the extent are in elements; else in bytes. */
cudaError_t cudart_copy_3d(const struct cudaMemcpy3DParms *p, bool async, cudaStream_t stream)
{
	struct way way = { p ? p->kind : cudaMemcpyDefault, async, stream };
	size_t dst_element = 1, src_element = 1;
	struct session_stream *captured = async ? capture_find(stream) : NULL;
	struct side dst, src;
	struct box b;

	if (captured && p)
		return graphs_capture(
			captured, &(struct session_node){ .kind = NODE_COPY_3D, .copy_3d = *p });
	if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if (p->srcArray)
		src_element = element_of(p->srcArray);
	if (p->dstArray)
		dst_element = element_of(p->dstArray);
	if (!src_element || !dst_element)
		return cudaErrorInvalidResourceHandle;
	if (p->srcArray && p->dstArray && src_element != dst_element)
		return cudaErrorInvalidValue;
	src = (struct side){ NULL,
			     p->srcArray,
			     p->srcPtr.ptr,
			     p->srcPtr.pitch,
			     p->srcPtr.ysize,
			     p->srcPos.x * src_element,
			     p->srcPos.y,
			     p->srcPos.z };
	dst = (struct side){ NULL,
			     p->dstArray,
			     p->dstPtr.ptr,
			     p->dstPtr.pitch,
			     p->dstPtr.ysize,
			     p->dstPos.x * dst_element,
			     p->dstPos.y,
			     p->dstPos.z };
	b = (struct box){ p->extent.width * (p->dstArray ? dst_element : src_element),
			  p->extent.height, p->extent.depth };
	return copy(&dst, &src, &b, &way);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(cudart_copy_3d(p, false, NULL));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	return CUDART_CALL(cudart_copy_3d(p, true, stream));
}

/* Positions, like those of the call for one device; arrays and addresses say themselves where they
 * are. */
static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, bool async,
				cudaStream_t stream)
{
	struct cudaMemcpy3DParms same;
	cudaError_t result;

	if (!p)
		return cudaErrorInvalidValue;
	if (!cudart_has_device(p->dstDevice) || !cudart_has_device(p->srcDevice))
		return cudaErrorInvalidDevice;
	same = (struct cudaMemcpy3DParms){ p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
					   p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault };
	result = async ? cudaSuccess : cudart_wait_peers(p->dstDevice, p->srcDevice);
	return result ? result : cudart_copy_3d(&same, async, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	return CUDART_CALL(copy_3d_peer(p, false, NULL));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	return CUDART_CALL(copy_3d_peer(p, true, stream));
}

/* One side of a copy of a batch as cudaMemcpy3D() has it; element: bytes of one of the array that
 * takes part, else 1. */
static bool take_operand(const struct cudaMemcpy3DOperand *o, const struct cudaExtent *extent,
			 size_t element, cudaArray_t *ret_array, struct cudaPos *ret_pos,
			 struct cudaPitchedPtr *ret_pointer)
{
	size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent->width;
	size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent->height;

	if (o->type == cudaMemcpyOperandTypeArray) {
		*ret_array = o->op.array.array;
		*ret_pos = (struct cudaPos){ o->op.array.offset.x, o->op.array.offset.y,
					     o->op.array.offset.z };
		return o->op.array.array;
	}
	*ret_pointer = (struct cudaPitchedPtr){ o->op.ptr.ptr, row * element, row * element, rows };
	return o->type == cudaMemcpyOperandTypePointer && o->op.ptr.ptr && row >= extent->width &&
	       rows >= extent->height;
}

static bool describe_op(const struct cudaMemcpy3DBatchOp *op, struct cudaMemcpy3DParms *ret)
{
	size_t element = 1;

	*ret = (struct cudaMemcpy3DParms){ .extent = op->extent, .kind = cudaMemcpyDefault };
	if (op->src.type == cudaMemcpyOperandTypeArray)
		element = element_of(op->src.op.array.array);
	else if (op->dst.type == cudaMemcpyOperandTypeArray)
		element = element_of(op->dst.op.array.array);
	return op->extent.width && op->extent.height && op->extent.depth &&
	       cudart_is_access_order(op->srcAccessOrder) &&
	       take_operand(&op->src, &op->extent, element, &ret->srcArray, &ret->srcPos,
			    &ret->srcPtr) &&
	       take_operand(&op->dst, &op->extent, element, &ret->dstArray, &ret->dstPos,
			    &ret->dstPtr);
}

static cudaError_t copy_batch_3d(size_t n, const struct cudaMemcpy3DBatchOp *ops,
				 unsigned long long flags, cudaStream_t stream)
{
	bool during_call = false;
	cudaError_t result = cudaSuccess;
	struct cudaMemcpy3DParms p;

	if (!n || !ops || flags || !stream || stream == cudaStreamLegacy)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		if (!describe_op(&ops[i], &p))
			return cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !result; i++) {
		describe_op(&ops[i], &p);
		result = cudart_copy_3d(&p, true, stream);
		during_call |= ops[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
	}
	return result ? result : cudart_end_batch(during_call, stream);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *ops,
				   unsigned long long flags, cudaStream_t stream)
{
	return CUDART_CALL(copy_batch_3d(n, ops, flags, stream));
}

static cudaError_t to_array(cudaArray_t array, size_t x, size_t y, const void *p, size_t pitch,
			    struct box b, struct way way)
{
	struct side dst = { .array = array, .x = x, .y = y };
	struct side src = { .p = p, .pitch = pitch, .rows = b.height };

	if (!array)
		return cudaErrorInvalidResourceHandle;
	return pitch < b.width ? cudaErrorInvalidPitchValue : copy(&dst, &src, &b, &way);
}

static cudaError_t from_array(void *p, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
			      struct box b, struct way way)
{
	struct side dst = { .p = p, .pitch = pitch, .rows = b.height };
	struct side src = { .array = array, .x = x, .y = y };

	if (!array)
		return cudaErrorInvalidResourceHandle;
	return pitch < b.width ? cudaErrorInvalidPitchValue : copy(&dst, &src, &b, &way);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
				size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(to_array(dst, x, y, src, pitch, (struct box){ width, height, 1 },
				    (struct way){ kind, false, NULL }));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
				     size_t pitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(to_array(dst, x, y, src, pitch, (struct box){ width, height, 1 },
				    (struct way){ kind, true, stream }));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
				  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(from_array(dst, pitch, src, x, y, (struct box){ width, height, 1 },
				      (struct way){ kind, false, NULL }));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
				       size_t y, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(from_array(dst, pitch, src, x, y, (struct box){ width, height, 1 },
				      (struct way){ kind, true, stream }));
}

static cudaError_t between_arrays(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
				  size_t from_x, size_t from_y, struct box b,
				  enum cudaMemcpyKind kind)
{
	struct side dst = { .array = to, .x = to_x, .y = to_y };
	struct side src = { .array = from, .x = from_x, .y = from_y };

	return to && from ? copy(&dst, &src, &b, &(struct way){ kind, false, NULL })
			  : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
				     cudaArray_const_t src, size_t src_x, size_t src_y,
				     size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(between_arrays(dst, dst_x, dst_y, src, src_x, src_y,
					  (struct box){ width, height, 1 }, kind));
}

/* Bytes of a row of the array, 0 for what is no array. */
static size_t row_of(cudaArray_const_t array)
{
	const struct session_image *i;
	size_t bytes;

	device_lock();
	i = images_find(array);
	bytes = i ? i->shape.Width * images_element(i) : 0;
	device_unlock();
	return bytes;
}

/* A run of bytes that goes on over the ends of rows: what is left of the first row, whole rows, a
 * part of one. */
static cudaError_t copy_run(cudaArray_const_t array, size_t x, size_t y, char *p, size_t size,
			    bool to, struct way way)
{
	size_t row = row_of(array);
	cudaError_t result = row ? cudaSuccess : cudaErrorInvalidResourceHandle;

	if (row && x >= row)
		return cudaErrorInvalidValue;
	while (size && !result) {
		bool whole = !x && size >= row;
		size_t width = whole ? row : size < row - x ? size : row - x;
		struct box b = { width, whole ? size / row : 1, 1 };

		result = to ? to_array((cudaArray_t)array, x, y, p, width, b, way)
			    : from_array(p, width, array, x, y, b, way);
		p += width * b.height;
		size -= width * b.height;
		y += b.height;
		x = 0;
	}
	return result;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size,
			      enum cudaMemcpyKind kind)
{
	return CUDART_CALL(
		copy_run(dst, x, y, (char *)src, size, true, (struct way){ kind, false, NULL }));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
				   size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(
		copy_run(dst, x, y, (char *)src, size, true, (struct way){ kind, true, stream }));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size,
				enum cudaMemcpyKind kind)
{
	return CUDART_CALL(
		copy_run(src, x, y, dst, size, false, (struct way){ kind, false, NULL }));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
				     size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(
		copy_run(src, x, y, dst, size, false, (struct way){ kind, true, stream }));
}

/* Slice by slice: the driver fills rows of one pitch only. */
static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
			   cudaStream_t stream)
{
	cudaError_t result = cudaSuccess;

	for (size_t z = 0; z < extent.depth && !result; z++)
		result = cudart_fill_2d((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value,
					extent.width, extent.height, stream);
	return result;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
	return CUDART_CALL(fill_3d(p, value, extent, NULL));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
			      cudaStream_t stream)
{
	return CUDART_CALL(fill_3d(p, value, extent, stream));
}
