/* SPDX-License-Identifier: Apache-2.0 */
/* What to do when a C cell holds C++ for the host, as programs for nvcc do: which words of clang's errors tell that. */
#ifndef CGPU_COMPILER_CPP_HINTS_H
#define CGPU_COMPILER_CPP_HINTS_H

struct host_text;
struct session;

/* NULL: nothing about C++ is known of this error. */
const char *cpp_hint(const struct host_text *h, const struct session *session, const char *message);

#endif
