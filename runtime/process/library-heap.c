/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library of CUDA calls malloc() from its own code: NVIDIA links the C++ runtime into it. So the
 * return address of the call tells. A library is known by the name of its file.
 */
#define _GNU_SOURCE
#include "runtime/process/library-heap.h"

#include <link.h>
#include <string.h>

#include "runtime/process/worker.h"

/* libcublasLt.so.13 is of cublas. */
static bool is_of_cuda(const char *path)
{
	static const char *const packages[] = {
#define LIBRARY(symbol, name, package, example, status, names) package,
#include "common/cuda/cuda-libraries.def"
#undef LIBRARY
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (!strncmp(name, "lib", 3) &&
		    !strncmp(name + 3, packages[i], strlen(packages[i])))
			return true;
	return false;
}

static int add_image(struct dl_phdr_info *info, size_t size, void *data)
{
	struct library_image image = { UINTPTR_MAX, 0 };

	(void)size;
	(void)data;
	if (!is_of_cuda(info->dlpi_name) || worker.library_heap.n == LIBRARY_HEAP_IMAGES_MAX)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		if (start < image.start)
			image.start = start;
		if (start + h->p_memsz > image.end)
			image.end = start + h->p_memsz;
	}
	worker.library_heap.images[worker.library_heap.n++] = image;
	return 0;
}

void library_heap_find(void)
{
	worker.library_heap.n = 0;
	dl_iterate_phdr(add_image, NULL);
}

bool library_heap_has(const void *caller)
{
	const struct library_heap *h = &worker.library_heap;

	for (unsigned i = 0; i < h->n; i++)
		if ((uintptr_t)caller - h->images[i].start < h->images[i].end - h->images[i].start)
			return true;
	return false;
}
