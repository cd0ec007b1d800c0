/* SPDX-License-Identifier: Apache-2.0 */
/* What to do when a C cell holds C++ for the host, as programs for nvcc do: which words of clang's errors tell that. */
#ifndef CGPU_COMPILER_CPP_HINTS_H
#define CGPU_COMPILER_CPP_HINTS_H

#include <stdint.h>

struct buffer;
struct host_text;
struct session;

/* Of device code that uses what the host has: lines about the names of NVRTC's log, appended to out. */
void cpp_hint_device(const struct host_text *h, const struct session *session, const char *log, struct buffer *out);

/*
 * What no compiler would say in words of the cell: a lambda or a constructor in C code. The token where it stands and
 * *ret_what, a sentence that goes on behind "this 'token' "; TOKEN_NONE when there is none.
 */
uint32_t cpp_hint_refuse(const struct host_text *h, const struct session *session, const char **ret_what);

#endif
