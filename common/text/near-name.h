/* SPDX-License-Identifier: Apache-2.0 */
/* Is a name that nobody knows one that was meant otherwise? */
#ifndef CGPU_COMMON_TEXT_NEAR_NAME_H
#define CGPU_COMMON_TEXT_NEAR_NAME_H

#include <stddef.h>

/* How many letters to change, or neighbours to swap, make the one of the other; 63 when one is too
 * long to be asked. */
size_t near_name_edits(const char *a, const char *b);
/* As far as a slip of the hand goes: a letter in three to five, two in six to eight and so on; 0
 * when there are fewer. */
size_t near_name_limit(const char *name);

#endif
