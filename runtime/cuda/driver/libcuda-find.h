/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the driver's libraries. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_LIBCUDA_FIND_H
#define CGPU_RUNTIME_CUDA_DRIVER_LIBCUDA_FIND_H

#include <stdbool.h>

#define LIBCUDA_PATH_MAX 4096
#define LIBCUDA_NAME "libcuda.so.1"

/* Finds the machine's own driver: the file that libcuda.so.1 stands for. False: there is none. */
bool libcuda_find(char ret_path[LIBCUDA_PATH_MAX]);
/* The same for another library that comes with it. */
bool libcuda_find_file(const char *name, char ret_path[LIBCUDA_PATH_MAX]);

#endif
