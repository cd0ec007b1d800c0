/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries follow one another in a section of their own, aligned to eight bytes. */
#include "compiler/device/object-ptx.h"

#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/cuda/fat-binary.h"

#define TARGET 75 /* code for a newer target is taken, too */

/* Reads a section. Images are texts, in which the first word of a container cannot occur. */
static int read_section(const char *at, size_t len, object_ptx_found *fn, void *data,
			struct error *err)
{
	const char *end = at + len;

	for (; (size_t)(end - at) >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		struct fat_binary_ptx found;

		if (!fat_binary_is_whole(at, (size_t)(end - at)) ||
		    fat_binary_find_ptx(at, TARGET, FAT_BINARY_NEWER, &found, NULL))
			continue;
		if (fn(data, found.payload, found.len, err))
			return -1;
	}
	return 0;
}

int object_ptx_each(const void *object, size_t len, object_ptx_found *fn, void *data,
		    struct error *err)
{
	Elf *elf;
	size_t names;
	int failed = 0;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)object, len);
	if (!elf || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return error_set(err, ERROR_INPUT, "the object of a cell cannot be read: %s",
				 elf_errmsg(-1));
	}
	for (Elf_Scn *section = NULL; !failed && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		const Elf_Data *bytes =
			name && !strcmp(name, ".nv_fatbin") ? elf_rawdata(section, NULL) : NULL;

		if (bytes && bytes->d_buf)
			failed = read_section(bytes->d_buf, bytes->d_size, fn, data, err);
	}
	elf_end(elf);
	return failed;
}
