/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps struct device_watch of the host true: see common/protocol/device-watch.h. The device's lock
 * is held, or no cell runs.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_WATCH_H
#define CGPU_RUNTIME_CUDA_MEMORY_WATCH_H

/* A buffer came or went. */
void watch_changed(void);
/* The same, and the table is made anew if somebody looks at it. */
void watch_renew(void);

#endif
