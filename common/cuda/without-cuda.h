/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of compiler and worker about CUDA when they were built without its headers (configure
 * --without-cuda). */
#ifndef CGPU_COMMON_CUDA_WITHOUT_CUDA_H
#define CGPU_COMMON_CUDA_WITHOUT_CUDA_H

#define BUILT_WITHOUT_CUDA                                                                         \
	"this cgpu was built without CUDA, for cells in C and C++. `./bootstrap install` in its "  \
	"source folder, with PyPI in "                                                             \
	"reach, builds it with CUDA; then restart the kernel"

#endif
