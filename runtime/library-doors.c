/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen() and dlmopen() as all libraries have them. By whatever path the CUDA driver is opened, what counts its memory is
 * given (runtime/cuda/libcuda.h). A name space of its own, where that is not, is given to other libraries only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "runtime/cuda/libcuda.h"

#define EXPORTED __attribute__((visibility("default")))
#define REFUSED "libcuda.so.1 in a name space of its own (its memory would not be counted)"

typedef void *open_fn(const char *path, int flags);
typedef void *open_in_fn(Lmid_t space, const char *path, int flags);

EXPORTED open_fn dlopen;
EXPORTED open_in_fn dlmopen;

static open_fn *libc_open;
static open_in_fn *libc_open_in;

static const char *door(const char *path)
{
	if (!libc_open)
		libc_open = (open_fn *)dlsym(RTLD_NEXT, "dlopen");
	return path && libcuda_is_loaded() && libcuda_is_driver(path) ? LIBCUDA_NAME : path;
}

/* libc looks at the caller's library for where to search: compiled with optimisation, the last call is a jump. */
void *dlopen(const char *path, int flags)
{
	path = door(path);
	return libc_open(path, flags);
}

static bool brings_driver(void *handle)
{
	const struct link_map *m;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &m))
		return false;
	while (m->l_prev)
		m = m->l_prev;
	while (m && !libcuda_is_driver(m->l_name))
		m = m->l_next;
	return m;
}

void *dlmopen(Lmid_t space, const char *path, int flags)
{
	void *handle;

	if (!libc_open_in)
		libc_open_in = (open_in_fn *)dlsym(RTLD_NEXT, "dlmopen");
	path = door(path);
	if (space == LM_ID_BASE || !libcuda_is_loaded())
		return libc_open_in(space, path, flags);
	handle = path && libcuda_is_driver(path) ? NULL : libc_open_in(space, path, flags);
	if (handle && !brings_driver(handle))
		return handle;
	if (handle)
		dlclose(handle);
	else if (path && !libcuda_is_driver(path))
		return NULL;
	/* dlerror() says why. */
	return libc_open(REFUSED, RTLD_NOW);
}
