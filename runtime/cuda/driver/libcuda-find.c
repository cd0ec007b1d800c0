/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a library of the driver is, as the dynamic linker would find it, without loading it: by its
 * name the linker finds ours. LD_LIBRARY_PATH and the linker's own folders come from dlinfo(), the
 * others from its cache.
 */
#define _GNU_SOURCE
#include "runtime/cuda/driver/libcuda-find.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"

#define CACHE "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

/* The format that ldconfig writes since glibc 2.2. */
struct cache_entry {
	int32_t flags;
	uint32_t key, value; /* of the strings, from the start of this part */
	uint32_t os_version;
	uint64_t hwcap;
};

struct cache {
	char magic[20];
	uint32_t n;
	uint32_t strings_len;
	uint32_t unused[5];
	struct cache_entry entries[];
};

static bool is_elf64(const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[5];

	return fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
	       !memcmp(head, "\177ELF\2", sizeof(head));
}

static bool try_folder(const char *folder, const char *name, char *ret)
{
	snprintf(ret, LIBCUDA_PATH_MAX, "%s/%s", folder, name);
	return is_elf64(ret);
}

static bool in_folders(const char *name, char *ret)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo size, *list = NULL;
	bool found = false;

	if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size))
		return false;
	list = malloc(size.dls_size);
	if (list && !dlinfo(self, RTLD_DI_SERINFOSIZE, list) &&
	    !dlinfo(self, RTLD_DI_SERINFO, list))
		for (unsigned i = 0; i < list->dls_cnt && !found; i++)
			found = try_folder(list->dls_serpath[i].dls_name, name, ret);
	free(list);
	return found;
}

static bool search(const struct cache *c, size_t len, const char *name, char *ret)
{
	const char *text = (const char *)c;

	if (len < sizeof(*c) || memcmp(c->magic, CACHE_MAGIC, sizeof(c->magic)) ||
	    c->n > (len - sizeof(*c)) / sizeof(c->entries[0]))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cache_entry *e = &c->entries[i];

		if (e->key >= len || e->value >= len ||
		    !memchr(text + e->key, '\0', len - e->key) ||
		    !memchr(text + e->value, '\0', len - e->value) || strcmp(text + e->key, name))
			continue;
		snprintf(ret, LIBCUDA_PATH_MAX, "%s", text + e->value);
		if (is_elf64(ret))
			return true;
	}
	return false;
}

static bool in_cache(const char *name, char *ret)
{
	cleanup_fd int fd = open(CACHE, O_RDONLY | O_CLOEXEC);
	const void *part;
	struct stat st;
	bool found;
	void *at;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return false;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return false;
	/* Before glibc 2.32 a part of an older format stands before it. */
	part = memmem(at, (size_t)st.st_size, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1);
	found = part && search(part, (size_t)((const char *)at + st.st_size - (const char *)part),
			       name, ret);
	munmap(at, (size_t)st.st_size);
	return found;
}

bool libcuda_find_file(const char *name, char ret[LIBCUDA_PATH_MAX])
{
	return in_folders(name, ret) || in_cache(name, ret);
}

bool libcuda_find(char ret[LIBCUDA_PATH_MAX])
{
	return libcuda_find_file(LIBCUDA_NAME, ret);
}
