/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a fault lies in memory that the worker shares, and its cells may write there what
 * they like, at any time. */
#ifndef CGPU_KERNEL_FAULTS_FAULT_RECORD_H
#define CGPU_KERNEL_FAULTS_FAULT_RECORD_H

#include "common/protocol/worker-protocol.h"

/* A copy that nobody else writes, with counts that fit its tables and texts that end. Its values
 * may mean nothing. */
void fault_record_take(struct fault_record *ret, const struct fault_record *shared);

#endif
