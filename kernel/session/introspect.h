/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete_request, inspect_request and is_complete_request: magics are answered here, C by the
 * compiler, also while a cell runs. Front ends count positions in characters, the compiler in
 * bytes.
 */
#ifndef CGPU_KERNEL_SESSION_INTROSPECT_H
#define CGPU_KERNEL_SESSION_INTROSPECT_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct request;
struct session;

void introspect_complete(struct request *r);
void introspect_inspect(struct request *r);
void introspect_is_complete(struct request *r);

/* Decodes COMPILER_INSPECTED: appends its text, with the value where the name is a variable. 0: not
 * found. */
int introspect_answer(struct session *s, const char *name, uint32_t type, const void *payload,
		      size_t len, struct buffer *out);

#endif
