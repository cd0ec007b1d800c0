/* SPDX-License-Identifier: Apache-2.0 */
/* pread() and pwrite() of a whole range, in spite of short counts and signals. */
#ifndef CGPU_COMMON_BASE_WHOLE_IO_H
#define CGPU_COMMON_BASE_WHOLE_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Return how many bytes were moved. Fewer than len are a failure, with the reason in errno: ENODATA
 * at the end of a file, ENOSPC where nothing more can be written.
 */
size_t whole_pread(int fd, void *to, size_t len, uint64_t at);
size_t whole_pwrite(int fd, const void *from, size_t len, uint64_t at);

#endif
