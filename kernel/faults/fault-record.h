/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the record of a fault safely: it is in memory that the worker shares, and cells may write
 * anything there, at any time. */
#ifndef CGPU_KERNEL_FAULTS_FAULT_RECORD_H
#define CGPU_KERNEL_FAULTS_FAULT_RECORD_H

#include "common/protocol/worker-protocol.h"

/* Makes a private copy, whose counts are limited to the size of the tables and whose texts are
 * terminated. Other values may be arbitrary. */
void fault_record_take(struct fault_record *ret, const struct fault_record *shared);

/* Returns the name of the error of this kind; of one that there is not, that of an internal error.
 */
const char *fault_record_ename(uint32_t kind);

#endif
