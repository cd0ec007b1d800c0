/* SPDX-License-Identifier: Apache-2.0 */
/* What of the committed session belongs to its process, and will not come back from a snapshot on
 * disk. */
#ifndef CGPU_KERNEL_STATE_TRACKED_LIST_H
#define CGPU_KERNEL_STATE_TRACKED_LIST_H

struct buffer;
struct snapshot;

/* "open file notes.txt of In[3], 2 threads"; nothing is appended when there is nothing. */
void tracked_list_describe(const struct snapshot *s, struct buffer *out);
/* How many there are of one enum tracked_kind. */
unsigned tracked_list_count(const struct snapshot *s, unsigned kind);

#endif
