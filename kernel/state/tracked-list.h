/* SPDX-License-Identifier: Apache-2.0 */
/* Lists objects of the committed session that belong to its process (files, threads) and cannot be
 * restored from a snapshot on disk. */
#ifndef CGPU_KERNEL_STATE_TRACKED_LIST_H
#define CGPU_KERNEL_STATE_TRACKED_LIST_H

struct buffer;
struct snapshot;

/* Appends a text such as "open file notes.txt of In[3], 2 threads", or nothing if there are
 * none. */
void tracked_list_describe(const struct snapshot *s, struct buffer *out);
/* Counts the objects of one enum tracked_kind. */
unsigned tracked_list_count(const struct snapshot *s, unsigned kind);

#endif
