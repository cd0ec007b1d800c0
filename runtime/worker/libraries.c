/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library is loaded with RTLD_NOW, so that a missing symbol is an error here and not in a cell,
 * and with RTLD_GLOBAL, so that units and later libraries find its symbols. It is never closed. The
 * build id is read from the note segments of the loaded image, not from the file, which may have
 * been replaced on disk; the image is found among all loaded ones by its base address.
 */
#define _GNU_SOURCE
#include "runtime/worker/libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/process/library-heap.h"

#define ID_BYTES_MAX 31

/* Notes are aligned to four bytes. */
static void read_notes(const char *at, const char *end, char ret[64])
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)at;
		const unsigned char *name = (const unsigned char *)(n + 1),
				    *id = name + ((n->n_namesz + 3) & ~3u);

		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
			for (unsigned i = 0; i < n->n_descsz && i < ID_BYTES_MAX; i++)
				snprintf(ret + 2 * i, 3, "%02x", id[i]);
			return;
		}
		at = (const char *)id + ((n->n_descsz + 3) & ~3u);
	}
}

static int read_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
	struct library_place *p = data;

	(void)size;
	if (info->dlpi_addr != p->base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const char *start = (const char *)(info->dlpi_addr + h->p_vaddr);

		if (h->p_type == PT_NOTE && !p->build_id[0])
			read_notes(start, start + h->p_memsz, p->build_id);
	}
	return 1;
}

int libraries_load(const char *path, struct library_place *ret, struct error *err)
{
	struct library_place place = { 0 };
	struct link_map *map;
	void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return error_set(err, ERROR_NOT_FOUND, "%s", dlerror());
	library_heap_find();
	place.base = map->l_addr;
	dl_iterate_phdr(read_build_id, &place);
	*ret = place;
	return 0;
}
