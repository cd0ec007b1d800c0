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

static uint64_t *registered;
static size_t n_registered, cap_registered;
static atomic_bool complete = true;

/* The place of the first address that is not below this one. */
static size_t place_of(uint64_t address)
{
	size_t low = 0, high = n_registered;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (registered[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(size_t i, uint64_t address)
{
	return i < n_registered && registered[i] == address;
}

CUresult pinning_add(uint64_t address, size_t size)
{
	size_t i = place_of(address);
	CUresult result;

	if (!ARRAY_ROOM(registered, n_registered, &cap_registered))
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = device.driver->cuMemHostRegister((void *)(uintptr_t)address, size, 0);
	if (result)
		return result;
	memmove(&registered[i + 1], &registered[i], (n_registered - i) * sizeof(*registered));
	registered[i] = address;
	n_registered++;
	return CUDA_SUCCESS;
}

CUresult pinning_remove(uint64_t address)
{
	size_t i = place_of(address);

	if (!is_at(i, address))
		return CUDA_SUCCESS;
	memmove(&registered[i], &registered[i + 1], (--n_registered - i) * sizeof(*registered));
	return device.driver->cuMemHostUnregister((void *)(uintptr_t)address);
}

bool pinning_any(void)
{
	return n_registered && !device.driver->extension;
}

bool pinning_is_complete(void)
{
	return atomic_load(&complete);
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
		atomic_store(&complete, true);
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
	for (size_t i = 0; i < n_registered; i++)
		device.driver->cuMemHostUnregister((void *)(uintptr_t)registered[i]);
	n_registered = 0;
	atomic_store(&complete, false);
}

void pinning_attached(void)
{
	atomic_store(&complete, false);
}
