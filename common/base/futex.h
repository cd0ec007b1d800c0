/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting on a word of memory that processes share (futex(2)). */
#ifndef CGPU_COMMON_BASE_FUTEX_H
#define CGPU_COMMON_BASE_FUTEX_H

#include <stdint.h>

struct timespec;

/* Waits until a wake-up, the timeout (NULL: none) or a signal; returns at once when the word is not
 * `seen`. */
void futex_wait(_Atomic uint32_t *word, uint32_t seen, const struct timespec *timeout);
/* Wakes all waiters. */
void futex_wake(_Atomic uint32_t *word);

#endif
