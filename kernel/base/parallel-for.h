/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides a large copy among a few threads, the caller being one of them. The threads live for one
 * call and take no signals.
 */
#ifndef CGPU_KERNEL_BASE_PARALLEL_FOR_H
#define CGPU_KERNEL_BASE_PARALLEL_FOR_H

#include <stddef.h>

struct error;

/*
 * Calls piece(data, i, err) for each i < n, in any order and from any of the threads. After the
 * first failure no further piece is begun; its error is returned. All pieces have ended when this
 * returns.
 */
int parallel_for(size_t n, int (*piece)(void *data, size_t i, struct error *err), void *data,
		 struct error *err);

#endif
