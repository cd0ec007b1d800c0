/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread of a launch stops at breakpoints in device code; cuda-gdb has the word. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_FOCUS_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_FOCUS_H

struct buffer;
struct error;
struct supervisor;

/* The magic that sets it; the debugger of a front end evaluates it, too. */
#define DEBUG_FOCUS "%focus"

/* Sets it by words: "block 2,0,0 thread 37", or "first". It counts from the next cell on, or when
 * the one that stands goes on. ERROR_INPUT: they name no thread. */
int debug_focus_set(struct supervisor *s, const char *words, struct error *err);
/* Appends a sentence that says which it is. */
void debug_focus_describe(const struct supervisor *s, struct buffer *out);

#endif
