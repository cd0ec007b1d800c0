/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_info_request and connect_request: the identity and the addresses of this kernel. */
#ifndef CGPU_KERNEL_REQUESTS_INFO_H
#define CGPU_KERNEL_REQUESTS_INFO_H

struct request;

void info_kernel(struct request *r);
void info_connect(struct request *r);

#endif
