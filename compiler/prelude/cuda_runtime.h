/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for nvcc include this one; in cells the C interface is what there is, and it is there
 * already. */
#include <cuda_runtime_api.h>
