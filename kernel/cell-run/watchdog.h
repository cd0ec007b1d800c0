/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at the worker while its cell runs: shows its output, and ends it when it passes the limit
 * of host memory or of processes. Says how a worker died that left no record.
 */
#ifndef CGPU_KERNEL_CELL_RUN_WATCHDOG_H
#define CGPU_KERNEL_CELL_RUN_WATCHDOG_H

#include <stdint.h>

struct supervisor;
struct worker;

void watchdog_start(struct supervisor *s);
void watchdog_stop(struct supervisor *s);

/* Fill s->run.report. */
void watchdog_report_death(struct supervisor *s, const struct worker *w);

/* Linux's count of processes that it ended because memory was out. */
uint64_t watchdog_oom_kills(const struct supervisor *s);

#endif
