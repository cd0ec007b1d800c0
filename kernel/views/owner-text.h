/* SPDX-License-Identifier: Apache-2.0 */
/* What an address belongs to, in words: "400 bytes on the heap, In[3]". */
#ifndef CGPU_KERNEL_VIEWS_OWNER_TEXT_H
#define CGPU_KERNEL_VIEWS_OWNER_TEXT_H

#include <stdint.h>

struct address_description;
struct buffer;

/* Appends the words; nothing when it is nobody's. The description's name ends with a NUL. */
void owner_text(const struct address_description *d, uint64_t address, struct buffer *out);

#endif
