/* SPDX-License-Identifier: Apache-2.0 */
/* When launches ran, for who wants to show how busy the device is. */
#ifndef CGPU_EMULATOR_CU_BUSY_H
#define CGPU_EMULATOR_CU_BUSY_H

struct device_busy;

/* The counter of busy time, which must stay; NULL: none. No launch is under way. */
void cu_busy_count(struct device_busy *b);
/* Around each launch. */
void cu_busy_begin(void);
void cu_busy_end(void);

#endif
