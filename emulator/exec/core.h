/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of all operations, vector code in the copy that fits this processor. */
#ifndef CGPU_EMULATOR_CORE_H
#define CGPU_EMULATOR_CORE_H

#include "emulator/exec/address-rows.h"
#include "emulator/ptx/ptx-program.h"

/* The best handlers for this processor by operation number, chosen at the first call. */
const struct op_handlers *core_handlers(void);
const struct address_rows *core_address_rows(void);
/* "avx512", "avx2" or "baseline": the copy of the core in use. */
const char *core_name(void);

#endif
