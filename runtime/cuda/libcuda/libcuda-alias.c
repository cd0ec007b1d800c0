/* SPDX-License-Identifier: Apache-2.0 */
/* libcgpu-shim-link.so: called libcuda.so, for programs that open the driver by that name. What it
 * has is libcuda.so.1's. */
extern const int cgpu_libcuda_alias;
const int cgpu_libcuda_alias = 1;
