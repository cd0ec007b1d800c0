/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the worker while its cell runs: shows its output, and ends it when it exceeds the limit
 * of host memory or of processes. Finds the reason when a worker died without a record.
 */
#ifndef CGPU_KERNEL_CELL_RUN_WATCHDOG_H
#define CGPU_KERNEL_CELL_RUN_WATCHDOG_H

#include <stdint.h>

struct supervisor;
struct worker;

void watchdog_start(struct supervisor *s);
void watchdog_stop(struct supervisor *s);

/* Fills in s->run.report. */
void watchdog_report_death(struct supervisor *s, const struct worker *w);

/* Returns Linux's count of processes that it ended because memory was out. */
uint64_t watchdog_oom_kills(const struct supervisor *s);

#endif
