/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapters Device Management, Peer Device Memory Access and Version Management. */
#define CUDA_ENABLE_DEPRECATED
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>
#include <strings.h>

#include <cuda_profiler_api.h>

#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory-request.h"
#include "runtime/cuda/memory/peers.h"
#include "runtime/cuda/rollback/images.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"

static cudaError_t check_device(int ordinal)
{
	return cudart_has_device(ordinal) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t give(int *ret, int value)
{
	if (!ret)
		return cudaErrorInvalidValue;
	*ret = value;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *ret)
{
	if (ret && !device.usable)
		*ret = 0;
	return CUDART_CALL(give(ret, device.count));
}

cudaError_t cudaGetDevice(int *ret)
{
	return CUDART_CALL(give(ret, device_current()));
}

/* The device has its context from here on. */
static cudaError_t set_device(int ordinal)
{
	int before = device_current();
	cudaError_t result = check_device(ordinal);

	if (result)
		return result;
	result = cudart_error(device_switch(ordinal));
	if (result)
		device_switch(before);
	else if (device_in_cell_thread())
		device.session->current_device = ordinal;
	return result;
}

cudaError_t cudaSetDevice(int ordinal)
{
	return CUDART_CALL(set_device(ordinal));
}

cudaError_t cudaInitDevice(int ordinal, unsigned int init_flags, unsigned int flags)
{
	(void)init_flags;
	(void)flags;
	return CUDART_CALL(check_device(ordinal));
}

cudaError_t cudaChooseDevice(int *ret, const struct cudaDeviceProp *wanted)
{
	return CUDART_CALL(wanted ? give(ret, 0) : cudaErrorInvalidValue);
}

static cudaError_t set_valid(const int *ordinals, int n)
{
	if (n < 0 || (n && !ordinals))
		return cudaErrorInvalidValue;
	for (int i = 0; i < n; i++)
		if (check_device(ordinals[i]))
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *ordinals, int n)
{
	return CUDART_CALL(set_valid(ordinals, n));
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	device.contexts[device_current()].flags = flags;
	return CUDART_CALL(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *ret)
{
	return CUDART_CALL(give((int *)ret, (int)device.contexts[device_current()].flags));
}

static cudaError_t attribute(int *ret, enum cudaDeviceAttr a, int ordinal)
{
	cudaError_t result = check_device(ordinal);

	/* The values of both enums are the same. */
	return result ? result
		      : cudart_error(device.driver->cuDeviceGetAttribute(ret, (CUdevice_attribute)a,
									 ordinal));
}

cudaError_t cudaDeviceGetAttribute(int *ret, enum cudaDeviceAttr a, int ordinal)
{
	return CUDART_CALL(ret ? attribute(ret, a, ordinal) : cudaErrorInvalidValue);
}

/* Fields of cudaDeviceProp that are attributes of the driver. */
static const struct {
	CUdevice_attribute attribute;
	size_t offset;
	bool is_size;
} fields[] = {
#define FIELD(field, attribute, is_size)                                                           \
	{ CU_DEVICE_ATTRIBUTE_##attribute, offsetof(struct cudaDeviceProp, field), is_size },
#include "runtime/cuda/cudart/device-properties.def"
#undef FIELD
};

static cudaError_t properties(struct cudaDeviceProp *ret, int ordinal)
{
	cudaError_t result = check_device(ordinal);
	size_t total;
	int value;

	if (result)
		return result;
	memset(ret, 0, sizeof(*ret));
	result =
		cudart_error(device.driver->cuDeviceGetName(ret->name, sizeof(ret->name), ordinal));
	if (!result)
		result = cudart_error(device.driver->cuDeviceTotalMem(&total, ordinal));
	if (!result)
		result =
			cudart_error(device.driver->cuDeviceGetUuid((CUuuid *)&ret->uuid, ordinal));
	if (result)
		return result;
	ret->totalGlobalMem = total;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		char *at = (char *)ret + fields[i].offset;

		result = cudart_error(
			device.driver->cuDeviceGetAttribute(&value, fields[i].attribute, ordinal));
		if (result)
			return result;
		if (fields[i].is_size)
			*(size_t *)at = (size_t)value;
		else
			*(int *)at = value;
	}
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *ret, int ordinal)
{
	return CUDART_CALL(ret ? properties(ret, ordinal) : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char *ret, int len, int ordinal)
{
	return CUDART_CALL(
		cudart_has_device(ordinal)
			? cudart_error(device.driver->cuDeviceGetPCIBusId(ret, len, ordinal))
			: cudaErrorInvalidDevice);
}

static cudaError_t synchronize(void)
{
	cudaError_t result = capture_check_call(true);

	/* A captured stream never comes to its end. */
	if (result == cudaErrorStreamCaptureImplicit)
		result = cudaErrorStreamCaptureUnsupported;
	return result ? result : cudart_error(device_synchronize_context());
}

cudaError_t cudaDeviceSynchronize(void)
{
	return CUDART_CALL(synchronize());
}

/* The cell's buffers, streams and events of the device go. Its variables stay: they belong to
 * definitions, not to calls. */
static cudaError_t reset(void)
{
	const struct session_array *a = &device.session->buffers;
	cudaError_t result = cudart_error(device_synchronize_context());

	if (result)
		return result;
	device_lock();
	handles_reset(device_current());
	graphs_reset();
	images_reset();
	for (int peer = 0; peer < device.count; peer++)
		peers_close(device_current(), peer);
	for (uint32_t i = a->n; i-- > 0 && !result;) {
		struct session_buffer *b = session_at(a, struct session_buffer, i);
		void *host = (void *)(uintptr_t)b->address;
		bool is_of_heap = b->kind == BUFFER_MANAGED || b->kind == BUFFER_PINNED;

		if (b->dead || b->device != device_current() || b->kind == BUFFER_VARIABLE ||
		    b->kind == BUFFER_CONSTANT || b->kind == BUFFER_PRIVATE ||
		    (b->kind == BUFFER_MANAGED && device_code_variable_at(host)))
			continue;
		result = cudart_error(ledger_free(b));
		if (!result && is_of_heap)
			device.host->heap_free(host);
	}
	device_unlock();
	return result ? result : cudart_end_objects();
}

cudaError_t cudaDeviceReset(void)
{
	return CUDART_CALL(reset());
}

cudaError_t cudaDeviceGetLimit(size_t *ret, enum cudaLimit limit)
{
	return CUDART_CALL(ret ? cudart_error(device.driver->cuCtxGetLimit(ret, (CUlimit)limit))
			       : cudaErrorInvalidValue);
}

/* The next worker sets it again. */
static cudaError_t set_limit(CUlimit limit, size_t value)
{
	struct session_array *a = &device.session->limits;
	cudaError_t result = cudart_error(library_memory_limit_set(device_current(), limit, value));
	struct session_limit *l = NULL;

	if (result)
		return result;
	device_lock();
	for (uint32_t i = 0; i < a->n && !l; i++)
		if (session_at(a, struct session_limit, i)->limit == limit &&
		    session_at(a, struct session_limit, i)->device == device_current())
			l = session_at(a, struct session_limit, i);
	if (!l)
		l = session_append(a, struct session_limit);
	if (l)
		*l = (struct session_limit){ device_current(), limit, value };
	device_unlock();
	return l ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	return CUDART_CALL(set_limit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	return CUDART_CALL(
		cudart_error(device.driver->cuCtxGetStreamPriorityRange(least, greatest)));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *ret)
{
	return CUDART_CALL(give((int *)ret, cudaFuncCachePreferNone));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	(void)config;
	return CUDART_CALL(cudaSuccess);
}

static cudaError_t can_access(int *ret, int ordinal, int peer)
{
	if (!ret)
		return cudaErrorInvalidValue;
	if (!cudart_has_device(ordinal) || !cudart_has_device(peer))
		return cudaErrorInvalidDevice;
	return cudart_error(device.driver->cuDeviceCanAccessPeer(ret, ordinal, peer));
}

cudaError_t cudaDeviceCanAccessPeer(int *ret, int ordinal, int peer)
{
	return CUDART_CALL(can_access(ret, ordinal, peer));
}

static cudaError_t change_peer(int peer, bool on)
{
	cudaError_t result;

	if (!cudart_has_device(peer) || peer == device_current())
		return cudaErrorInvalidDevice;
	device_lock();
	result = cudart_error(on ? peers_open(device_current(), peer)
				 : peers_close(device_current(), peer));
	/* Launches of this cell may write from here on what was out of their reach. */
	if (on)
		preimage_reach_changed();
	device_unlock();
	return result;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	return CUDART_CALL(flags ? cudaErrorInvalidValue : change_peer(peer, true));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return CUDART_CALL(change_peer(peer, false));
}

cudaError_t cudaDriverGetVersion(int *ret)
{
	return CUDART_CALL(ret ? cudart_error(device.driver->cuDriverGetVersion(ret))
			       : cudaErrorInvalidValue);
}

cudaError_t cudaRuntimeGetVersion(int *ret)
{
	return CUDART_CALL(give(ret, CUDART_VERSION));
}

cudaError_t cudaDeviceGetP2PAttribute(int *ret, enum cudaDeviceP2PAttr attr, int from, int to)
{
	/* The values of both enums are the same. */
	return CUDART_CALL(ret ? cudart_error(device.driver->cuDeviceGetP2PAttribute(
					 ret, (CUdevice_P2PAttribute)attr, from, to))
			       : cudaErrorInvalidValue);
}

static cudaError_t by_bus_id(int *ret, const char *id)
{
	char own[32];

	if (!ret || !id)
		return cudaErrorInvalidValue;
	for (int i = 0; i < device.count; i++) {
		cudaError_t result =
			cudart_error(device.driver->cuDeviceGetPCIBusId(own, sizeof(own), i));

		if (result)
			return result;
		if (!strcasecmp(own, id))
			return give(ret, i);
	}
	return cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetByPCIBusId(int *ret, const char *id)
{
	return CUDART_CALL(by_bus_id(ret, id));
}

/* Banks of shared memory have had one width since compute capability 5.0; asking for another one
 * has no effect. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *ret)
{
	return CUDART_CALL(give((int *)ret, cudaSharedMemBankSizeFourByte));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	return CUDART_CALL((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
									     : cudaSuccess);
}

/* No lines of the second cache are ever set aside. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return CUDART_CALL(cudaSuccess);
}

/* For a profiler that is attached to the process. */
cudaError_t cudaProfilerStart(void)
{
	return CUDART_CALL(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
	return CUDART_CALL(cudaSuccess);
}

/* A link that does atomic operations by itself does all those that device code has. */
static unsigned capabilities_of(enum cudaAtomicOperation operation)
{
	unsigned all = cudaAtomicCapabilityReduction | cudaAtomicCapabilityScalar32 |
		       cudaAtomicCapabilityScalar64;

	switch (operation) {
	case cudaAtomicOperationIntegerAdd:
	case cudaAtomicOperationIntegerMin:
	case cudaAtomicOperationIntegerMax:
		return all | cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned;
	case cudaAtomicOperationFloatAdd:
		return all | cudaAtomicCapabilitySigned;
	case cudaAtomicOperationIntegerIncrement:
	case cudaAtomicOperationIntegerDecrement:
		return cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityReduction |
		       cudaAtomicCapabilityScalar32;
	case cudaAtomicOperationExchange:
	case cudaAtomicOperationCAS:
		return cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityScalar32 |
		       cudaAtomicCapabilityScalar64;
	case cudaAtomicOperationFloatMin:
	case cudaAtomicOperationFloatMax:
		return 0;
	default:
		return all | cudaAtomicCapabilityUnsigned;
	}
}

static cudaError_t atomic_capabilities(unsigned *ret, const enum cudaAtomicOperation *operations,
				       unsigned n, bool native)
{
	if (!ret || !operations || !n)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
			return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		ret[i] = native ? capabilities_of(operations[i]) : 0;
	return cudaSuccess;
}

static cudaError_t host_atomics(unsigned *ret, const enum cudaAtomicOperation *operations,
				unsigned n, int ordinal)
{
	int native = 0;
	cudaError_t result = cudart_has_device(ordinal) ? cudaSuccess : cudaErrorInvalidDevice;

	if (!result)
		result = cudart_error(device.driver->cuDeviceGetAttribute(
			&native, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, ordinal));
	return result ? result : atomic_capabilities(ret, operations, n, native);
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *ret,
						const enum cudaAtomicOperation *operations,
						unsigned int n, int ordinal)
{
	return CUDART_CALL(host_atomics(ret, operations, n, ordinal));
}

static cudaError_t peer_atomics(unsigned *ret, const enum cudaAtomicOperation *operations,
				unsigned n, int from, int to)
{
	bool two = cudart_has_device(from) && cudart_has_device(to) && from != to;
	cudaError_t result = two ? cudaSuccess : cudaErrorInvalidDevice;
	int native = 0;

	if (!result)
		result = cudart_error(device.driver->cuDeviceGetP2PAttribute(
			&native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to));
	return result ? result : atomic_capabilities(ret, operations, n, native);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *ret,
					       const enum cudaAtomicOperation *operations,
					       unsigned int n, int from, int to)
{
	return CUDART_CALL(peer_atomics(ret, operations, n, from, to));
}

static cudaError_t texture_width(size_t *ret, const struct cudaChannelFormatDesc *format,
				 int ordinal)
{
	int width;
	cudaError_t result;

	if (!cudart_has_device(ordinal))
		return cudaErrorInvalidDevice;
	if (!ret || !format || format->x + format->y + format->z + format->w <= 0)
		return cudaErrorInvalidValue;
	result = cudart_error(device.driver->cuDeviceGetAttribute(
		&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, ordinal));
	if (!result)
		*ret = (size_t)width;
	return result;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *ret,
						 const struct cudaChannelFormatDesc *format,
						 int ordinal)
{
	return CUDART_CALL(texture_width(ret, format, ordinal));
}
