/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large copy is cut into pieces that a few threads share, the caller among them. The threads live
 * for one call and take no signals.
 */
#ifndef CGPU_KERNEL_BASE_PARALLEL_FOR_H
#define CGPU_KERNEL_BASE_PARALLEL_FOR_H

#include <stddef.h>

struct error;

/*
 * Call piece(data, i, err) for each i < n, in any order and from any of the threads. After the
 * first that fails no other is begun; its error is returned. All have ended when this returns.
 */
int parallel_for(size_t n, int (*piece)(void *data, size_t i, struct error *err), void *data,
		 struct error *err);

#endif
