/* SPDX-License-Identifier: Apache-2.0 */
/* What a cell with %%expect does at its end. */
#ifndef CGPU_KERNEL_MAGICS_MAGIC_EXPECT_H
#define CGPU_KERNEL_MAGICS_MAGIC_EXPECT_H

struct cell;

/* Marks the cell as failed unless its value, as it is shown, is the expected one; NULL: it has
 * none. A cell without %%expect is left as it is. */
void magic_expect_check(struct cell *c, const char *value);

#endif
