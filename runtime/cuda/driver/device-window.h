/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What session memory needs of a driver: physical memory that is kept by a file descriptor, and a
 * range of addresses that is the same in each worker. WSL2 and some virtual GPUs have no such
 * descriptors; WSL2 grants small ranges, and in some sandboxes another process image, or nobody at
 * all, lies where the range is to be.
 *
 * The range begins at DEVICE_BASE. Two thirds are for session memory, what is behind them for
 * pre-images.
 */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DEVICE_WINDOW_H
#define CGPU_RUNTIME_CUDA_DRIVER_DEVICE_WINDOW_H

#include <stdint.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/driver/driver.h"

struct error;

#define DEVICE_WINDOW_GRANULE (2ull * 1024 * 1024) /* physical memory comes in multiples of it */

/*
 * Give up what the zygote has reserved at DEVICE_BASE, before the machine's driver is loaded: it
 * backs device addresses with host mappings, and gives none that were taken when it started
 * (docs/gpu-results.md). The emulated device takes the reservation over instead.
 */
void device_window_vacate(void);

/*
 * Ask `driver`, which is initialised, for both. wanted: bytes of the range, as the first worker of
 * the session got it; 0: as much as the driver gives, up to three quarters of DEVICE_SIZE.
 * ERROR_UNSUPPORTED says what the driver cannot do, or who is in the way. A driver that wants a
 * context first has no range yet: then it is asked again.
 */
int device_window_open(const struct cuda_driver *driver, uint64_t wanted, struct error *err);

/* Physical memory of a device that a descriptor can keep; not mapped. */
CUresult device_window_create(const struct cuda_driver *driver, int ordinal, uint64_t size,
			      CUmemGenericAllocationHandle *ret);

/* Bytes of the range; 0: there is none. */
uint64_t device_window_size(void);

static inline uint64_t device_window_session_size(void)
{
	return device_window_size() / 3 * 2;
}

static inline uint64_t device_window_scratch(void)
{
	return DEVICE_BASE + device_window_session_size();
}

#endif
