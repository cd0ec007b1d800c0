/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the session as text: a displayed expression, a variable in a list. */
#ifndef CGPU_KERNEL_SESSION_RESULT_H
#define CGPU_KERNEL_SESSION_RESULT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct session;
struct unit_variable;

/* Formats an OUTPUT_RESULT record (common/protocol/output-ring.h), between cells. */
void result_text(struct session *s, const void *record, size_t len, struct buffer *out);
/* Appends a variable's committed value in about max characters (0: without a limit). */
void result_variable(struct session *s, const struct unit_variable *v, size_t max,
		     struct buffer *out);
/* Tells whether a variable is on the device, where the host has only a stand-in. */
bool result_is_on_device(const struct session *s, const struct unit_variable *v);
/* Appends the owner of an address, as in "400 bytes on the heap, In[3]"; nothing when it is not
 * known. Called between cells. */
void result_owner(struct session *s, unsigned long long address, struct buffer *out);

#endif
