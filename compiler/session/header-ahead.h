/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Precompiled headers that the first C++ cell after an installation needs take it more than a
 * second. They are made while nothing is to be done, by a child at low priority. Who needs one of
 * them meanwhile waits for the child, which has begun it, as long as the child gets the processor:
 * then that is no longer than making it. On a busy machine a child of low priority does not: it is
 * ended, and the header is made by who needs it.
 *
 * A process has one such child at a time. Calls must not overlap.
 */
#ifndef CGPU_COMPILER_HEADER_AHEAD_H
#define CGPU_COMPILER_HEADER_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HEADERS_AHEAD_MAX 2

/*
 * No other thread may be there. make() runs in the child, and makes the files at these paths, in
 * their order. The texts are copied. False, and nothing happens, while a child is at work.
 */
bool header_ahead_begin(const char *const *paths, size_t n, void (*make)(void *context),
			void *context);
/*
 * Is there a child that was to make this file? It is no more at work on it afterwards. ret_ended:
 * the child if it had to be ended in the middle of its work, else 0.
 */
bool header_ahead_wait(const char *path, pid_t *ret_ended);
bool header_ahead_is_at_work(void);
/* A child that has ended is taken note of. */
void header_ahead_look(void);
/* It is ended. */
void header_ahead_stop(void);

#endif
