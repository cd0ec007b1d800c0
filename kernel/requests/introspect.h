/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete_request, inspect_request and is_complete_request: magics are answered here, C by the
 * compiler, also while a cell runs. Front ends count positions in characters, the compiler in
 * bytes.
 */
#ifndef CGPU_KERNEL_REQUESTS_INTROSPECT_H
#define CGPU_KERNEL_REQUESTS_INTROSPECT_H

struct request;

void introspect_complete(struct request *r);
void introspect_inspect(struct request *r);
void introspect_is_complete(struct request *r);

#endif
