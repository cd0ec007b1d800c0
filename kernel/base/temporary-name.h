/* SPDX-License-Identifier: Apache-2.0 */
/* Names of temporary folders, which nobody can guess. */
#ifndef CGPU_KERNEL_BASE_TEMPORARY_NAME_H
#define CGPU_KERNEL_BASE_TEMPORARY_NAME_H

#include <stddef.h>

/*
 * Makes up a path below $TMPDIR, or below /tmp if that is unset, relative or too long: `what` and a
 * number that is unique, also where several machines share the folder. Nothing is made there. ret
 * is
 * "" when Linux gives no random number.
 */
void temporary_name(const char *what, char *ret, size_t size);

#endif
