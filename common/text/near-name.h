/* SPDX-License-Identifier: Apache-2.0 */
/* Compares an unknown name to known ones, to suggest what was meant. */
#ifndef CGPU_COMMON_TEXT_NEAR_NAME_H
#define CGPU_COMMON_TEXT_NEAR_NAME_H

#include <stddef.h>

/* Returns the number of letters to change, or neighbours to swap, to turn one into the other; 63
 * when one is too long. */
size_t near_name_edits(const char *a, const char *b);
/* Returns the number of edits that count as a typing error: one for three to five letters, two for
 * six to eight and so on; 0 for fewer. */
size_t near_name_limit(const char *name);

#endif
