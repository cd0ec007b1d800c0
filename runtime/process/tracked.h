/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of what a cell has made that no session memory holds and no worker can bring back: open
 * files, threads, library handles. It lies in META; a worker that takes over the session reports it
 * and begins a new one.
 */
#ifndef CGPU_RUNTIME_PROCESS_TRACKED_H
#define CGPU_RUNTIME_PROCESS_TRACKED_H

#include <stdbool.h>

#include "common/memory/arena-layout.h"

struct buffer;

void tracked_add(enum tracked_kind kind, const void *handle, const char *name);
void tracked_remove(const void *handle);
/* A line for all of one name and cell, and some lines for a kind; the list is empty afterwards. */
void tracked_report_lost(struct buffer *out);

#endif
