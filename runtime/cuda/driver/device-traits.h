/* SPDX-License-Identifier: Apache-2.0 */
/* How the machine shares its device with other programs and with the memory of the host. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DEVICE_TRAITS_H
#define CGPU_RUNTIME_CUDA_DRIVER_DEVICE_TRAITS_H

#include <stdint.h>

struct cuda_driver;

/* Before cuInit() of the machine's driver: cells take part in MPS only where the device cannot be
 * used without it. open_nvml: the machine's NVML, as dlopen() gives it; NULL: there is none. */
void device_traits_choose_mps(void *(*open_nvml)(void));
/* After cuInit(): bits of enum device_trait. */
uint32_t device_traits(const struct cuda_driver *driver);

#endif
