/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Memory Management: allocation. Device memory is session memory; managed and
 * pinned memory comes from the arena's heap, so it rolls back with the host, and is registered with
 * the driver.
 */
#include <stdlib.h>
#include <string.h>

#include "common/launch-glue.h"
#include "runtime/cuda/cudart/cudart.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/peers.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/session/capture.h"

#define PITCH_UNIT 512

/* The name and line of the allocation that comes next in this thread. */
static _Thread_local struct {
	char name[48];
	unsigned line;
} note;

/* "&d_x", "(void **)&d_x" and "&grid->d_x" are for d_x and grid->d_x. */
void cgpu_note(const char *argument, unsigned line)
{
	const char *p = strrchr(argument, '&');
	size_t len;

	p = p ? p + 1 : argument;
	while (*p == ' ' || *p == '(')
		p++;
	len = strcspn(p, ")");
	if (len >= sizeof(note.name))
		len = sizeof(note.name) - 1;
	memcpy(note.name, p, len);
	note.name[len] = '\0';
	note.line = line;
}

struct ledger_request cudart_request(const char *call, size_t size, enum buffer_kind kind)
{
	struct ledger_request r = { .size = size,
				    .device = device_current(),
				    .kind = kind,
				    .name = note.name,
				    .call = call,
				    .line = note.line };

	if (!r.line && device.host->caller_line)
		r.line = device.host->caller_line();
	return r;
}

void cudart_forget_note(void)
{
	note.name[0] = '\0';
	note.line = 0;
}

/* cudaMalloc(p, n) with p still NULL. */
static cudaError_t no_place(void)
{
	call_errors_explain(
		"there is no place for the address, the first argument is NULL: hand over "
		"that of the pointer, &p");
	return cudaErrorInvalidValue;
}

static cudaError_t alloc_device(const char *call, void **ret, size_t size)
{
	struct ledger_request r = cudart_request(call, size, BUFFER_MALLOC);
	uint64_t address = 0;
	CUresult result = CUDA_SUCCESS;

	if (!ret)
		return no_place();
	result = (CUresult)capture_check_call(false);
	/* As the real one: nothing is a valid request, with the null pointer as its answer. */
	if (size && !result) {
		device_lock();
		result = ledger_alloc(&r, &address);
		device_unlock();
	}
	cudart_forget_note();
	*ret = (void *)(uintptr_t)address;
	return cudart_error(result);
}

cudaError_t cudaMalloc(void **ret, size_t size)
{
	return CUDART_CALL(alloc_device("cudaMalloc", ret, size));
}

static cudaError_t alloc_pitch(void **ret, size_t *ret_pitch, size_t width, size_t height)
{
	size_t pitch = round_up_to(width, PITCH_UNIT);
	cudaError_t result;

	if (!ret_pitch || pitch < width || (pitch && height > SIZE_MAX / pitch))
		return cudaErrorInvalidValue;
	result = alloc_device("cudaMallocPitch", ret, pitch * height);
	if (!result)
		*ret_pitch = pitch;
	return result;
}

cudaError_t cudaMallocPitch(void **ret, size_t *ret_pitch, size_t width, size_t height)
{
	return CUDART_CALL(alloc_pitch(ret, ret_pitch, width, height));
}

static cudaError_t alloc_3d(struct cudaPitchedPtr *ret, struct cudaExtent extent)
{
	cudaError_t result;

	if (!ret)
		return cudaErrorInvalidValue;
	result = alloc_pitch(&ret->ptr, &ret->pitch, extent.width, extent.height * extent.depth);
	ret->xsize = extent.width;
	ret->ysize = extent.height;
	return result;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *ret, struct cudaExtent extent)
{
	return CUDART_CALL(alloc_3d(ret, extent));
}

/* Cell memory that the device reaches at the same address. */
static cudaError_t alloc_host(const char *call, void **ret, size_t size, enum buffer_kind kind)
{
	struct ledger_request r = cudart_request(call, size, kind);
	CUresult result = CUDA_SUCCESS;
	void *p = NULL;

	if (!ret)
		return no_place();
	cudart_forget_note();
	*ret = NULL;
	if (!size)
		return cudaSuccess;
	result = (CUresult)capture_check_call(false);
	if (result)
		return (cudaError_t)result;
	device_lock();
	if (kind == BUFFER_MANAGED)
		result = ledger_admit(&r);
	if (!result)
		p = device.host->heap_alloc(round_up_to(size, LEDGER_HOST_ALIGN),
					    LEDGER_HOST_ALIGN);
	if (!result && !p)
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (!result)
		result = ledger_add_host(&r, (uintptr_t)p);
	device_unlock();
	if (result && p)
		device.host->heap_free(p);
	else
		*ret = p;
	return cudart_error(result);
}

cudaError_t cudaMallocManaged(void **ret, size_t size, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return CUDART_CALL(cudaErrorInvalidValue);
	return CUDART_CALL(alloc_host("cudaMallocManaged", ret, size, BUFFER_MANAGED));
}

cudaError_t cudaMallocHost(void **ret, size_t size)
{
	return CUDART_CALL(alloc_host("cudaMallocHost", ret, size, BUFFER_PINNED));
}

cudaError_t cudaHostAlloc(void **ret, size_t size, unsigned int flags)
{
	(void)flags;
	return CUDART_CALL(alloc_host("cudaHostAlloc", ret, size, BUFFER_PINNED));
}

/* The devices that reach the memory have nothing to do any more; those that nobody has used never
 * had. */
static cudaError_t wait_users(const void *p)
{
	const struct session_buffer *b;
	int before = device_current();
	cudaError_t result = cudaSuccess;
	uint32_t users = 1u << before;

	device_lock();
	b = ledger_find((uintptr_t)p);
	for (int i = 0; b && i < device.count; i++)
		if (device.contexts[i].handle && peers_reach(i, b))
			users |= 1u << i;
	device_unlock();
	for (int i = 0; i < device.count && !result; i++) {
		if (!(users >> i & 1))
			continue;
		result = cudart_error(device_switch(i));
		if (!result)
			result = cudart_error(device_synchronize_context());
	}
	device_switch(before);
	return result;
}

/* b: what holds the address, NULL for nothing. */
static void explain_free(const void *p, const struct session_buffer *b, bool host)
{
	const char *own = host ? "cudaFreeHost" : "cudaFree", *right = "cudaFree";
	bool freed = false;

	if (b && (b->kind == BUFFER_PINNED || b->kind == BUFFER_REGISTERED))
		right = b->kind == BUFFER_PINNED ? "cudaFreeHost" : "cudaHostUnregister";
	if (b && b->address != (uintptr_t)p)
		call_errors_explain(
			"0x%zx is not the start of a buffer, but %zu bytes behind that of one",
			(size_t)(uintptr_t)p, (size_t)((uintptr_t)p - b->address));
	else if (b)
		call_errors_explain("that memory was allocated otherwise: %s frees it", right);
	else if (ledger_look((uintptr_t)p, &freed) && freed)
		call_errors_explain("that buffer was freed before");
	else
		call_errors_explain("0x%zx is %s, which %s does not free%s", (size_t)(uintptr_t)p,
				    cudart_is_device(p) ? "no buffer" : "memory of the host", own,
				    cudart_is_device(p) ? ""
				    : host              ? ": free() does"
							: ": free() or cudaFreeHost() does");
}

/* Frees one buffer by its first byte. host: pinned memory is meant. */
static cudaError_t free_at(void *p, bool host)
{
	struct session_buffer *b;
	cudaError_t result;
	enum buffer_kind kind;

	if (!p)
		return cudaSuccess;
	result = capture_check_call(false);
	if (!result)
		result = wait_users(p);
	if (result)
		return result;
	device_lock();
	if (graphs_free_memory(p)) {
		device_unlock();
		return cudaSuccess;
	}
	b = ledger_find((uintptr_t)p);
	kind = b ? b->kind : BUFFER_REGISTERED;
	if (!b || b->address != (uintptr_t)p ||
	    (host ? kind != BUFFER_PINNED : kind != BUFFER_MALLOC && kind != BUFFER_MANAGED)) {
		explain_free(p, b, host);
		device_unlock();
		return cudaErrorInvalidValue;
	}
	result = cudart_error(ledger_free(b));
	device_unlock();
	if (kind != BUFFER_MALLOC)
		device.host->heap_free(p);
	return result;
}

cudaError_t cudart_free_device(void *p)
{
	return free_at(p, false);
}

cudaError_t cudaFree(void *p)
{
	return CUDART_CALL(free_at(p, false));
}

cudaError_t cudaFreeHost(void *p)
{
	return CUDART_CALL(free_at(p, true));
}

cudaError_t cudart_register_host(void *p, size_t size)
{
	struct ledger_request r = cudart_request("cudaHostRegister", size, BUFFER_REGISTERED);
	CUresult result;

	if (!p || !size || cudart_is_device(p))
		return cudaErrorInvalidValue;
	device_lock();
	result = ledger_add_host(&r, (uintptr_t)p);
	device_unlock();
	return cudart_error(result);
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
	(void)flags;
	return CUDART_CALL(cudart_register_host(p, size));
}

cudaError_t cudart_unregister_host(void *p)
{
	cudaError_t result = cudaErrorHostMemoryNotRegistered;
	struct session_buffer *b;

	device_lock();
	b = ledger_find((uintptr_t)p);
	if (b && b->address == (uintptr_t)p && b->kind == BUFFER_REGISTERED)
		result = cudart_error(ledger_free(b));
	device_unlock();
	return result;
}

cudaError_t cudaHostUnregister(void *p)
{
	return CUDART_CALL(p ? cudart_unregister_host(p) : cudaErrorInvalidValue);
}

static cudaError_t host_device_pointer(void **ret, void *p)
{
	const struct session_buffer *b = ledger_find((uintptr_t)p);

	if (!ret || !b || b->kind < BUFFER_MANAGED)
		return cudaErrorInvalidValue;
	*ret = p;
	return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **ret, void *p, unsigned int flags)
{
	return CUDART_CALL(flags ? cudaErrorInvalidValue : host_device_pointer(ret, p));
}

static cudaError_t host_flags(unsigned int *ret, void *p)
{
	void *same;
	cudaError_t result = host_device_pointer(&same, p);

	if (!result && !ret)
		result = cudaErrorInvalidValue;
	if (!result)
		*ret = cudaHostAllocMapped | cudaHostAllocPortable;
	return result;
}

cudaError_t cudaHostGetFlags(unsigned int *ret, void *p)
{
	return CUDART_CALL(host_flags(ret, p));
}

static cudaError_t memory_info(size_t *ret_free, size_t *ret_total)
{
	size_t free_bytes, total;
	cudaError_t result;

	device_lock();
	result = cudart_error(ledger_room(device_current(), &free_bytes, &total));
	if (!result)
		ledger_cap_view(&free_bytes, &total);
	device_unlock();
	if (result)
		return result;
	if (ret_free)
		*ret_free = free_bytes;
	if (ret_total)
		*ret_total = total;
	return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *ret_free, size_t *ret_total)
{
	return CUDART_CALL(memory_info(ret_free, ret_total));
}

static cudaError_t pointer_attributes(struct cudaPointerAttributes *ret, const void *p)
{
	const struct session_buffer *b = ledger_find((uintptr_t)p);

	if (!ret)
		return cudaErrorInvalidValue;
	*ret = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered, .device = -2 };
	if (!b) {
		ret->hostPointer = (void *)p;
		return cudaSuccess;
	}
	ret->device = b->device;
	ret->devicePointer = (void *)p;
	ret->type = cudaMemoryTypeDevice;
	if (b->kind >= BUFFER_MANAGED) {
		ret->type = b->kind == BUFFER_MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
		ret->hostPointer = (void *)p;
	}
	return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *ret, const void *p)
{
	return CUDART_CALL(pointer_attributes(ret, p));
}
