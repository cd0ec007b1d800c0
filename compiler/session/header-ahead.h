/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes precompiled headers ahead of time. The ones that the first C++ cell after an installation
 * needs take more than a second, so a child at low priority makes them while the compiler is idle.
 * A caller that needs one of them meanwhile waits for the child as long as the child gets the
 * processor: that is no longer than making it. On a busy machine a child of low priority gets none:
 * it is ended, and the caller makes the header.
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
 * Forks the child; no other thread may exist. make() runs in the child, and makes the files at
 * these paths, in their order. The texts are copied. False, and nothing happens, while a child is
 * running.
 */
bool header_ahead_begin(const char *const *paths, size_t n, void (*make)(void *context),
			void *context);
/*
 * Waits for the child if it is to make this file; tells whether there was one. Afterwards the child
 * does not work on the file any more. ret_ended: the child's pid if it was ended in the middle of
 * its work, else 0.
 */
bool header_ahead_wait(const char *path, pid_t *ret_ended);
bool header_ahead_is_at_work(void);
/* Reaps a child that has ended. */
void header_ahead_look(void);
/* Ends the child. */
void header_ahead_stop(void);

#endif
