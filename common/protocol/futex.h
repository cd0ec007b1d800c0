/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word of memory that processes share (futex(2)). */
#ifndef CGPU_COMMON_PROTOCOL_FUTEX_H
#define CGPU_COMMON_PROTOCOL_FUTEX_H

#include <stdint.h>

struct timespec;

/* Until somebody wakes, the time is over (NULL: none) or a signal comes; returns at once when the
 * word is not `seen`. */
void futex_wait(_Atomic uint32_t *word, uint32_t seen, const struct timespec *timeout);
/* All who sleep on it. */
void futex_wake(_Atomic uint32_t *word);

#endif
