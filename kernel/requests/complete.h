/* SPDX-License-Identifier: Apache-2.0 */
/* complete_request: what can stand at the cursor, also while a cell runs. */
#ifndef CGPU_KERNEL_REQUESTS_COMPLETE_H
#define CGPU_KERNEL_REQUESTS_COMPLETE_H

struct request;

void complete_request(struct request *r);

#endif
