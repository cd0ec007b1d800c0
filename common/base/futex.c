/* SPDX-License-Identifier: Apache-2.0 */
/* The C library has no wrapper for this system call. Both functions are safe in signal handlers. */
#define _GNU_SOURCE
#include "common/base/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void futex_wait(_Atomic uint32_t *word, uint32_t seen, const struct timespec *timeout)
{
	syscall(SYS_futex, word, FUTEX_WAIT, seen, timeout, NULL, 0);
}

void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
