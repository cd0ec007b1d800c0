/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side of a cell: the text that NVRTC compiles, the stubs and stand-ins that its names are
 * in C, and what later device code sees of it. NVRTC takes no host code, so it gets the device
 * items with the types, macros and enumerations that they mention, from this cell and from the
 * session, and nothing else.
 */
#ifndef CGPU_COMPILER_DEVICE_TEXT_H
#define CGPU_COMPILER_DEVICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/device-follow.h"
#include "compiler/host-text.h"

struct buffer;
struct error;

/* Does the cell hold anything for the device that makes code or data? */
bool device_text_is_needed(const struct host_text *h);
/* The line in the cell where the first item of device code begins; 0: there is none. */
uint32_t device_text_line(const struct host_text *h);

/* The translation unit for NVRTC, in lines of the cell, and of their cells for entries that follow it. */
int device_text_write(const struct host_text *h, struct session *session, const struct device_followers *followers,
		      struct buffer *out, struct error *err);

/*
 * What stands for device item i in the host's text, appended to h->unit: for an entry a function
 * that launches it, for a variable an object whose address names it; nothing for a device function.
 */
void device_text_write_host(struct host_text *h, uint32_t i);

/* The entry of item i, without what would keep it from having its C name in the PTX (from h's pool, NULL when memory is out). */
char *device_text_entry(const struct host_text *h, uint32_t i);

/* The device item's text for later cells (from h's pool, NULL when memory is out). */
char *device_text_later(const struct host_text *h, uint32_t i);

/* Does `<name>` or `"name"` belong to device code alone (C++ headers of the toolkit)? */
bool device_text_is_include(const char *rest, size_t len);
/* Is it one that host code has too, in a form of ours (compiler/prelude/)? */
bool device_text_is_shared_include(const char *rest, size_t len);

/* nvcc lets device code read `const int n = 5;` and `const int m = 2 * n;` of the host: is item i such a constant? */
bool device_text_is_constant(const struct host_text *h, const struct session *session, uint32_t i);

#endif
