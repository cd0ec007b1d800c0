/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses that this process has registered, in order, beside the session's table of blocks.
 */
#include "runtime/cuda/session/pinning.h"

#include <stdatomic.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/session.h"

static struct pinning {
	uint64_t *addresses; /* in order */
	size_t n, cap;
	atomic_bool complete; /* all of the session's blocks are registered */
} pinning = { .complete = true };

/* The place of the first address that is not below this one. */
static size_t place_of(uint64_t address)
{
	size_t low = 0, high = pinning.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pinning.addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(size_t i, uint64_t address)
{
	return i < pinning.n && pinning.addresses[i] == address;
}

CUresult pinning_add(uint64_t address, size_t size)
{
	size_t i = place_of(address);
	CUresult result;

	if (!ARRAY_ROOM(pinning.addresses, pinning.n, &pinning.cap))
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = device.driver->cuMemHostRegister((void *)(uintptr_t)address, size, 0);
	if (result)
		return result;
	memmove(&pinning.addresses[i + 1], &pinning.addresses[i],
		(pinning.n - i) * sizeof(*pinning.addresses));
	pinning.addresses[i] = address;
	pinning.n++;
	return CUDA_SUCCESS;
}

CUresult pinning_remove(uint64_t address)
{
	size_t i = place_of(address);

	if (!is_at(i, address))
		return CUDA_SUCCESS;
	memmove(&pinning.addresses[i], &pinning.addresses[i + 1],
		(--pinning.n - i) * sizeof(*pinning.addresses));
	return device.driver->cuMemHostUnregister((void *)(uintptr_t)address);
}

bool pinning_any(void)
{
	return pinning.n && !device.driver->extension;
}

bool pinning_is_complete(void)
{
	return atomic_load(&pinning.complete);
}

static CUresult renew(void)
{
	const struct session_array *a = &device.session->buffers;
	CUresult result = CUDA_SUCCESS;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);
		CUresult one;

		if (b->kind < BUFFER_MANAGED || is_at(place_of(b->address), b->address))
			continue;
		one = pinning_add(b->address, b->size);
		if (one)
			log_error("host memory `%s` of cell %u at 0x%llx cannot be registered with "
				  "the device: %s (%d)",
				  session_buffer_name(b), b->cell, (unsigned long long)b->address,
				  cuda_error_text(one), (int)one);
		if (!result)
			result = one;
	}
	if (!result)
		atomic_store(&pinning.complete, true);
	return result;
}

CUresult pinning_renew(void)
{
	CUresult result;

	if (pinning_is_complete())
		return CUDA_SUCCESS;
	device_lock();
	result = renew();
	device_unlock();
	return result;
}

void pinning_let_go(void)
{
	for (size_t i = 0; i < pinning.n; i++)
		device.driver->cuMemHostUnregister((void *)(uintptr_t)pinning.addresses[i]);
	pinning.n = 0;
	atomic_store(&pinning.complete, false);
}

void pinning_attached(void)
{
	atomic_store(&pinning.complete, false);
}
