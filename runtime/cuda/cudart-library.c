/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side as a shared library of its own, libcudart.so.13: programs that nvcc built with
 * `-cudart shared` run on the emulated device by LD_LIBRARY_PATH alone. The program takes the place
 * of the worker, and its whole run that of one cell which is never committed: the session is plain
 * memory, and nobody keeps anything for a process after it.
 *
 * The library is ready before the program's own constructors, which register device code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/exports/cudart-unsupported.h"

static void *session_root;

static void *session_alloc(size_t size)
{
	return calloc(1, size);
}

static void *heap_alloc(size_t size, size_t align)
{
	return aligned_alloc(align, (size + align - 1) / align * align);
}

static int send_nowhere(uint32_t message, const void *data, size_t len, int fd, struct error *err)
{
	(void)message, (void)data, (void)len, (void)fd, (void)err;
	return 0;
}

static void nothing(void)
{
}

static const struct device_host program = {
	.session_alloc = session_alloc,
	.session_free = free,
	.session_root = &session_root,
	.heap_alloc = heap_alloc,
	.heap_free = free,
	.send = send_nowhere,
	.enter_device = nothing,
	.leave_device = nothing,
	.enter_library = nothing,
	.leave_library = nothing,
};

/* Without a device each call fails with the CUDA error for that, as on any machine without one; why
 * is told here. */
__attribute__((constructor)) static void start(void)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	const struct device_attachment as = { .epoch = 1 };
	struct device_info info = { 0 };
	struct error err = ERROR_INIT;

	if (device_init(&program, &info, &err) || device_attach(&as, &err) ||
	    device_attach_end(&report, &err))
		fprintf(stderr, "libcudart (cgpu): the CUDA runtime cannot start: %s\n", err.text);
	else if (info.problem[0])
		fprintf(stderr, "libcudart (cgpu): %s\n", info.problem);
	else
		device_cell_begin(0, 0);
}

/* Functions that only say that they are not supported have names of the API, too. */
#define REASON(symbol, text)
#define UNSUPPORTED(name, reason)                                                                  \
	int name(void);                                                                            \
	int name(void)                                                                             \
	{                                                                                          \
		return ((int (*)(void))cudart_unsupported(#name))();                               \
	}
#include "runtime/cuda/exports/cudart-unsupported.def"
#undef UNSUPPORTED
#undef REASON
