/* SPDX-License-Identifier: Apache-2.0 */
/* All magics, in the order in which %help lists them; NULL behind the last. */
#ifndef CGPU_KERNEL_MAGICS_MAGIC_TABLE_H
#define CGPU_KERNEL_MAGICS_MAGIC_TABLE_H

#include "kernel/session/magic.h"

extern const struct magic *const magic_table[];

#endif
