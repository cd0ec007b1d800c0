/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_request and is_complete_request: magics are answered here, C by the compiler, also while
 * a cell runs.
 */
#ifndef CGPU_KERNEL_REQUESTS_INTROSPECT_H
#define CGPU_KERNEL_REQUESTS_INTROSPECT_H

struct request;

void introspect_inspect(struct request *r);
void introspect_is_complete(struct request *r);

#endif
