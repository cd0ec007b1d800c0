/* SPDX-License-Identifier: Apache-2.0 */
/* The session knows the C names of CUDA kernels; a mangled one is read as far as it is simple. */
#include "runtime/cuda/reports/kernel-name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/session.h"

/* The C name of a CUDA kernel whose PTX name is known. */
static const char *c_name(const char *ptx_name)
{
	const struct session_array *a = &device.session->kernels;

	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(session_at(a, struct session_kernel, i)->ptx_name, ptx_name) &&
		    *session_at(a, struct session_kernel, i)->name)
			return session_at(a, struct session_kernel, i)->name;
	return ptx_name;
}

void kernel_name_put(const char *ptx_name, struct buffer *out)
{
	const char *name = c_name(ptx_name), *at = strncmp(name, "_Z", 2) ? "" : name + 2;
	bool nested = *at == 'N';
	size_t before = out->len;

	at += nested || *at == 'L'; /* L: static */
	do {
		char *end;
		unsigned long n = strtoul(at, &end, 10);

		if (!n || n > strlen(end))
			break;
		buffer_printf(out, "%s%.*s", out->len > before ? "::" : "", (int)n, end);
		at = end + n;
	} while (nested);
	if (out->len == before)
		buffer_puts(out, name);
}
