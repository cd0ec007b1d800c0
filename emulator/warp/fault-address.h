/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the address of a fault came about:
 *
 *	=========     The address is %rd4 + 4 * %r1
 *	=========         %rd4 = 0x302000000000: parameter 1
 *	=========         %r1 = 1024: blockIdx.x * blockDim.x + threadIdx.x = 4 * 256 + 0
 *
 * The sum is read from the PTX. Values of what it is made of are worked out again
 * (register-value.h); one that cannot be, such as the counter of a loop, follows from the address,
 * which is known.
 */
#ifndef CGPU_EMULATOR_FAULT_ADDRESS_H
#define CGPU_EMULATOR_FAULT_ADDRESS_H

#include "emulator/report/gpu-fault.h"
#include "emulator/warp/warp.h"

/* Fills f->formula and f->values for the access at o of the lane named in f, whose address is
 * f->address. */
void fault_address_explain(const struct warp *w, const struct op *o, uint32_t lane,
			   struct gpu_fault *f);

#endif
