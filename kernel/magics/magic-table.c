/* SPDX-License-Identifier: Apache-2.0 */
/* Each magic is a file of this folder; the only list of them is magics.def. */
#include "kernel/magics/magic-table.h"

#include <stddef.h>

#define MAGIC(symbol) extern const struct magic symbol;
#include "kernel/magics/magics.def"
#undef MAGIC

const struct magic *const magic_table[] = {
#define MAGIC(symbol) &symbol,
#include "kernel/magics/magics.def"
#undef MAGIC
	NULL,
};
