/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API for programs whose null stream is that of the calling thread. */
#ifndef CGPU_EMULATOR_CU_PER_THREAD_H
#define CGPU_EMULATOR_CU_PER_THREAD_H

/* By the name of the manual; NULL when the function has no stream. */
void *cu_per_thread(const char *name);

#endif
