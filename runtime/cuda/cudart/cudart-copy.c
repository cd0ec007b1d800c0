/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Memory Management: copies and fills of linear memory. Ranges are checked
 * against the ledger, so a copy that runs past its buffer is an error and not a write into the
 * neighbour; what is written on the device is saved first.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "common/cuda/batch-starts.h"
#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/session/capture.h"

/* Device memory proper, and what both sides reach. */
static bool on_device(const void *p)
{
	return cudart_is_device(p);
}

static bool both_sides(const void *p)
{
	const struct session_buffer *b = ledger_find((uintptr_t)p);

	return b && b->kind >= BUFFER_MANAGED;
}

static void explain_kind(const void *p, enum cudaMemcpyKind kind, bool written)
{
	static const char *const kinds[] = { "HostToHost", "HostToDevice", "DeviceToHost",
					     "DeviceToDevice" };
	const char *side = written ? "destination" : "source",
		   *does = written ? "writes to" : "reads from";

	if (!p)
		call_errors_explain("its %s is NULL", side);
	else if (on_device(p))
		call_errors_explain("its %s is memory of the device, and cudaMemcpy%s %s the host",
				    side, kinds[kind], does);
	else
		call_errors_explain("its %s is memory of the host, and cudaMemcpy%s %s the device",
				    side, kinds[kind], does);
}

static cudaError_t check_kind(const void *p, enum cudaMemcpyKind kind, bool written)
{
	bool device_side = kind == cudaMemcpyDeviceToDevice ||
			   kind == (written ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);

	if ((int)kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (p && (kind == cudaMemcpyDefault || device_side == on_device(p) || both_sides(p)))
		return cudaSuccess;
	explain_kind(p, kind, written);
	return cudaErrorInvalidValue;
}

cudaError_t cudart_prepare_side(const void *p, size_t size, enum cudaMemcpyKind kind, bool written)
{
	cudaError_t result = check_kind(p, kind, written);

	if (result)
		return result;
	return written ? cudart_before_write(p, size) : cudart_check_range(p, size);
}

static cudaError_t prepare(const void *dst, size_t dst_size, const void *src, size_t src_size,
			   enum cudaMemcpyKind kind)
{
	cudaError_t result;

	device_lock();
	result = check_kind(dst, kind, true);
	if (!result)
		result = cudart_prepare_side(src, src_size, kind, false);
	if (!result)
		result = cudart_prepare_side(dst, dst_size, kind, true);
	device_unlock();
	return result;
}

static cudaError_t copy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	cudaError_t result = capture_check_call(true);

	if (!result && size)
		result = prepare(dst, size, src, size, kind);
	if (result || !size)
		return result;
	device_wait_stream(NULL);
	return CUDART_WAIT(device.driver->cuMemcpy((uintptr_t)dst, (uintptr_t)src, size));
}

cudaError_t cudart_copy_async(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	struct session_stream *captured = capture_find(stream);
	cudaError_t result;
	CUstream s;

	if (captured)
		return graphs_capture(captured,
				      &(struct session_node){ .kind = NODE_COPY,
							      .copy = { dst, src, size, kind } });
	result = size ? prepare(dst, size, src, size, kind) : cudaSuccess;
	if (!result)
		result = cudart_stream(stream, &s);
	if (result || !size)
		return result;
	return CUDART_WAIT(device.driver->cuMemcpyAsync((uintptr_t)dst, (uintptr_t)src, size, s));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(copy(dst, src, size, kind));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	return CUDART_CALL(cudart_copy_async(dst, src, size, kind, stream));
}

/* The default stream of a device is done, with all that is in order with it. */
static cudaError_t wait_default(int ordinal)
{
	int before = device_current();
	cudaError_t result = cudart_error(device_switch(ordinal));

	if (!result)
		result = cudart_error(device_synchronize_stream(NULL));
	device_switch(before);
	return result;
}

cudaError_t cudart_wait_peers(int dst_device, int src_device)
{
	cudaError_t result = capture_check_call(true);

	if (!cudart_has_device(dst_device) || !cudart_has_device(src_device))
		return cudaErrorInvalidDevice;
	if (!result && src_device != device_current())
		result = wait_default(src_device);
	if (!result && dst_device != device_current())
		result = wait_default(dst_device);
	return result;
}

/* In order with what both devices have to do. */
static cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device,
			     size_t size)
{
	cudaError_t result = cudart_wait_peers(dst_device, src_device);

	return result ? result : copy(dst, src, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t size)
{
	return CUDART_CALL(copy_peer(dst, dst_device, src, src_device, size));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
				size_t size, cudaStream_t stream)
{
	if (!cudart_has_device(dst_device) || !cudart_has_device(src_device))
		return CUDART_CALL(cudaErrorInvalidDevice);
	return CUDART_CALL(cudart_copy_async(dst, src, size, cudaMemcpyDeviceToDevice, stream));
}

cudaError_t cudart_end_batch(bool during_call, cudaStream_t stream)
{
	CUstream s;
	cudaError_t result;

	if (!during_call || capture_find(stream))
		return cudaSuccess;
	result = cudart_stream(stream, &s);
	return result ? result : cudart_error(device_synchronize_stream(s));
}

/* The copies of a batch are in no order; they may be in one. */
static cudaError_t copy_batch(void *const *dst, const void *const *src, const size_t *sizes,
			      size_t count, const struct cudaMemcpyAttributes *attributes,
			      const size_t *starts, size_t n, cudaStream_t stream)
{
	bool during_call = false;
	cudaError_t result = cudaSuccess;

	if (!dst || !src || !sizes || !count || !attributes ||
	    !batch_starts_are_right(starts, n, count) || !stream || stream == cudaStreamLegacy)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		if (!cudart_is_access_order(attributes[i].srcAccessOrder))
			return cudaErrorInvalidValue;
		during_call |=
			attributes[i].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall;
	}
	for (size_t i = 0; i < count && !result; i++)
		result = cudart_copy_async(dst[i], src[i], sizes[i], cudaMemcpyDefault, stream);
	return result ? result : cudart_end_batch(during_call, stream);
}

cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *sizes,
				 size_t count, struct cudaMemcpyAttributes *attributes,
				 size_t *starts, size_t n, cudaStream_t stream)
{
	return CUDART_CALL(copy_batch(dst, src, sizes, count, attributes, starts, n, stream));
}

/* Managed memory has one place, so nothing is to be moved; what is discarded may have any value,
 * also the one that it has. */
static cudaError_t check_batch(void **p, const size_t *sizes, size_t count,
			       unsigned long long flags, cudaStream_t stream)
{
	CUstream s;

	if (!p || !sizes || !count || flags || !stream || stream == cudaStreamLegacy)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++) {
		const struct session_buffer *b = ledger_find((uintptr_t)p[i]);

		if (!b || b->kind != BUFFER_MANAGED || !ledger_holds((uintptr_t)p[i], sizes[i]))
			return cudaErrorInvalidValue;
	}
	return cudart_stream(stream, &s);
}

static cudaError_t prefetch_batch(void **p, const size_t *sizes, size_t count,
				  const struct cudaMemLocation *locations, const size_t *starts,
				  size_t n, unsigned long long flags, cudaStream_t stream)
{
	if (!locations || !batch_starts_are_right(starts, n, count))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		if (locations[i].type == cudaMemLocationTypeDevice &&
		    !cudart_has_device(locations[i].id))
			return cudaErrorInvalidDevice;
	return check_batch(p, sizes, count, flags, stream);
}

cudaError_t cudaMemPrefetchBatchAsync(void **p, size_t *sizes, size_t count,
				      struct cudaMemLocation *locations, size_t *starts, size_t n,
				      unsigned long long flags, cudaStream_t stream)
{
	return CUDART_CALL(prefetch_batch(p, sizes, count, locations, starts, n, flags, stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **p, size_t *sizes, size_t count,
				     unsigned long long flags, cudaStream_t stream)
{
	return CUDART_CALL(check_batch(p, sizes, count, flags, stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **p, size_t *sizes, size_t count,
						struct cudaMemLocation *locations, size_t *starts,
						size_t n, unsigned long long flags,
						cudaStream_t stream)
{
	return CUDART_CALL(prefetch_batch(p, sizes, count, locations, starts, n, flags, stream));
}

struct rows {
	void *dst;
	size_t dst_pitch;
	const void *src;
	size_t src_pitch;
	size_t width, height;
};

/* Checked and saved; *ret is what the driver is asked for. */
static cudaError_t prepare_2d(const struct rows *r, enum cudaMemcpyKind kind, CUDA_MEMCPY2D *ret)
{
	if (!r->width || !r->height)
		return cudaSuccess;
	if (r->width > r->dst_pitch || r->width > r->src_pitch)
		return cudaErrorInvalidPitchValue;
	*ret = (CUDA_MEMCPY2D){
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
		.srcDevice = (uintptr_t)r->src,
		.srcPitch = r->src_pitch,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
		.dstDevice = (uintptr_t)r->dst,
		.dstPitch = r->dst_pitch,
		.WidthInBytes = r->width,
		.Height = r->height,
	};
	return prepare(r->dst, (r->height - 1) * r->dst_pitch + r->width, r->src,
		       (r->height - 1) * r->src_pitch + r->width, kind);
}

static cudaError_t copy_2d(const struct rows *r, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D c;
	cudaError_t result = prepare_2d(r, kind, &c);

	if (result || !r->width || !r->height)
		return result;
	device_wait_stream(NULL);
	return CUDART_WAIT(device.driver->cuMemcpy2DUnaligned(&c));
}

static cudaError_t copy_2d_async(const struct rows *r, enum cudaMemcpyKind kind,
				 cudaStream_t stream)
{
	struct session_stream *captured = capture_find(stream);
	CUDA_MEMCPY2D c;
	cudaError_t result;
	CUstream s;

	if (captured)
		return graphs_capture(
			captured,
			&(struct session_node){
				.kind = NODE_COPY_3D,
				.copy_3d = {
					.srcPtr = { (void *)r->src, r->src_pitch, r->width,
						    r->height },
					.dstPtr = { r->dst, r->dst_pitch, r->width, r->height },
					.extent = { r->width, r->height, 1 },
					.kind = kind,
				} });
	result = prepare_2d(r, kind, &c);
	if (!result)
		result = cudart_stream(stream, &s);
	if (result || !r->width || !r->height)
		return result;
	return CUDART_WAIT(device.driver->cuMemcpy2DAsync(&c, s));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			 size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct rows r = { dst, dst_pitch, src, src_pitch, width, height };

	return CUDART_CALL(copy_2d(&r, kind));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	struct rows r = { dst, dst_pitch, src, src_pitch, width, height };

	return CUDART_CALL(copy_2d_async(&r, kind, stream));
}

static cudaError_t run_fill(const struct cudaMemsetParams *p, CUstream s)
{
	CUdeviceptr at = (uintptr_t)p->dst;

	switch (p->elementSize) {
	case 1:
		if (p->height == 1)
			return cudart_error(device.driver->cuMemsetD8Async(
				at, (unsigned char)p->value, p->width, s));
		return cudart_error(device.driver->cuMemsetD2D8Async(
			at, p->pitch, (unsigned char)p->value, p->width, p->height, s));
	case 2:
		return cudart_error(device.driver->cuMemsetD2D16Async(
			at, p->pitch, (unsigned short)p->value, p->width, p->height, s));
	default:
		return cudart_error(device.driver->cuMemsetD2D32Async(at, p->pitch, p->value,
								      p->width, p->height, s));
	}
}

cudaError_t cudart_fill(const struct cudaMemsetParams *p, cudaStream_t stream)
{
	struct session_stream *captured = capture_find(stream);
	size_t width = p->width * p->elementSize;
	cudaError_t result;
	CUstream s;

	if (captured)
		return graphs_capture(captured,
				      &(struct session_node){ .kind = NODE_FILL, .fill = *p });
	if (!width || !p->height)
		return cudaSuccess;
	if (p->height > 1 && p->pitch < width)
		return cudaErrorInvalidValue;
	device_lock();
	result = on_device(p->dst) || both_sides(p->dst)
			 ? cudart_before_write(p->dst, (p->height - 1) * p->pitch + width)
			 : cudaErrorInvalidValue;
	device_unlock();
	if (!result)
		result = cudart_stream(stream, &s);
	return result ? result : run_fill(p, s);
}

cudaError_t cudart_fill_2d(void *p, size_t pitch, int value, size_t width, size_t height,
			   cudaStream_t stream)
{
	struct cudaMemsetParams fill = { .dst = p,
					 .pitch = pitch,
					 .value = (unsigned char)value,
					 .elementSize = 1,
					 .width = width,
					 .height = height };

	return cudart_fill(&fill, stream);
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
	return CUDART_CALL(cudart_fill_2d(p, size, value, size, 1, NULL));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
	return CUDART_CALL(cudart_fill_2d(p, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	return CUDART_CALL(cudart_fill_2d(p, pitch, value, width, height, NULL));
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	return CUDART_CALL(cudart_fill_2d(p, pitch, value, width, height, stream));
}

cudaError_t cudart_symbol_range(const void *symbol, size_t offset, size_t size, void **ret)
{
	struct session_variable *v = device_code_variable_at(symbol);
	uint64_t address;

	if (!v || v->in_module)
		return cudaErrorInvalidSymbol;
	if (offset > v->size || size > v->size - offset)
		return cudaErrorInvalidValue;
	device_lock();
	address = device_code_variable_address(v);
	device_unlock();
	if (!address)
		return cudaErrorMemoryAllocation;
	*ret = (void *)(uintptr_t)(address + offset);
	return cudaSuccess;
}

/* Addresses of device functions, which only the driver writes: nothing of a stream can be in front
 * of that. */
static cudaError_t read_code(const struct session_variable *v, void *to, size_t size, size_t offset)
{
	CUresult result;

	if (offset > v->size || size > v->size - offset)
		return cudaErrorInvalidValue;
	device_lock();
	result = device_code_read(v, to, size, offset);
	device_unlock();
	return (cudaError_t)result;
}

static cudaError_t symbol_copy(const void *symbol, size_t offset, void *other, size_t size,
			       bool to_symbol, enum cudaMemcpyKind kind, bool async,
			       cudaStream_t stream)
{
	const struct session_variable *v = device_code_variable_at(symbol);
	void *at, *dst, *src;
	cudaError_t result;

	if (v && v->in_module && !to_symbol)
		return read_code(v, other, size, offset);
	result = cudart_symbol_range(symbol, offset, size, &at);
	if (result)
		return result;
	dst = to_symbol ? at : other;
	src = to_symbol ? other : at;
	return async ? cudart_copy_async(dst, src, size, kind, stream) : copy(dst, src, size, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t size, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return CUDART_CALL(symbol_copy(symbol, offset, (void *)src, size, true, kind, false, NULL));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t size, size_t offset,
				 enum cudaMemcpyKind kind)
{
	return CUDART_CALL(symbol_copy(symbol, offset, dst, size, false, kind, false, NULL));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t size, size_t offset,
				    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(
		symbol_copy(symbol, offset, (void *)src, size, true, kind, true, stream));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t size, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return CUDART_CALL(symbol_copy(symbol, offset, dst, size, false, kind, true, stream));
}

cudaError_t cudaGetSymbolAddress(void **ret, const void *symbol)
{
	return CUDART_CALL(ret ? cudart_symbol_range(symbol, 0, 0, ret) : cudaErrorInvalidValue);
}

static cudaError_t symbol_size(size_t *ret, const void *symbol)
{
	const struct session_variable *v = device_code_variable_at(symbol);

	if (!v || !ret)
		return v ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
	*ret = v->size;
	return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *ret, const void *symbol)
{
	return CUDART_CALL(symbol_size(ret, symbol));
}
