/* SPDX-License-Identifier: Apache-2.0 */
/* Where the one who debugs is found; for all launches, of which one thread stands at a time. */
#ifndef CGPU_EMULATOR_DEBUGGER_SOURCE_H
#define CGPU_EMULATOR_DEBUGGER_SOURCE_H

#include <pthread.h>

struct device_debugger;

struct debugger_source {
	const struct device_debugger *_Atomic now; /* NULL: nobody debugs */
	pthread_mutex_t lock;                      /* held while a thread stands */
};

#endif
