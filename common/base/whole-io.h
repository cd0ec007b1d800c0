/* SPDX-License-Identifier: Apache-2.0 */
/* pread() and pwrite() of all that was asked for, over short counts and signals. */
#ifndef CGPU_COMMON_BASE_WHOLE_IO_H
#define CGPU_COMMON_BASE_WHOLE_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes were moved. Less than len is a failure and errno says which: at the end of a file
 * it is ENODATA, where nothing more can be written ENOSPC.
 */
size_t whole_pread(int fd, void *to, size_t len, uint64_t at);
size_t whole_pwrite(int fd, const void *from, size_t len, uint64_t at);

#endif
