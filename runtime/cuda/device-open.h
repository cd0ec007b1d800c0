/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of this process: chosen once by device_init() and its kin, see runtime/cuda/device.h.
 */
#ifndef CGPU_RUNTIME_CUDA_DEVICE_OPEN_H
#define CGPU_RUNTIME_CUDA_DEVICE_OPEN_H

/*
 * Use the device of the driver that was chosen, if it lets us. It may refuse a context and give one
 * later, as a device does that one process may use to the spare: then it is asked again.
 */
void device_open_take(void);

#endif
