/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of an interrupted thread that signal handlers look at, for each architecture. `context` is the third
 * argument of an SA_SIGINFO handler. Both are async-signal-safe. */
#ifndef CGPU_RUNTIME_CONTEXT_H
#define CGPU_RUNTIME_CONTEXT_H

#include <stdint.h>

uint64_t context_pc(const void *context);
uint64_t context_sp(const void *context);

#endif
