/* SPDX-License-Identifier: Apache-2.0 */
/* Where a file of memory has pages: what nobody has written is a hole, which reads as zeros. */
#ifndef CGPU_COMMON_MEMORY_FILE_DATA_H
#define CGPU_COMMON_MEMORY_FILE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Finds the first part of [at, end) that has pages (lseek(2), SEEK_DATA). 1: found, 0: there is
 * none, -1: error. */
int file_data_next(int fd, uint64_t at, uint64_t end, uint64_t *ret_start, uint64_t *ret_end,
		   struct error *err);

/* Tells whether the bytes, one or more, are what a hole reads as. */
bool file_data_is_zero(const char *bytes, size_t len);

#endif
