/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number that changes when the tables in META change their shape: a snapshot from disk may come
 * from another build of cgpu, and only a worker with the same tables can take it over.
 */
#ifndef CGPU_RUNTIME_WORKER_SESSION_LAYOUT_H
#define CGPU_RUNTIME_WORKER_SESSION_LAYOUT_H

#include <stdint.h>

uint64_t session_layout(void);

#endif
