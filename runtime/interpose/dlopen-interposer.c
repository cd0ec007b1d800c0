/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen() and dlmopen() as all libraries have them. By whatever path the CUDA driver is opened,
 * what counts its memory is given (runtime/cuda/libcuda/libcuda.h), and for NVML what shows the
 * same (runtime/cuda/libcuda/nvml.h). A name space of its own, where these are not, is given to
 * other libraries only.
 *
 * What a library opens by a bare name is also looked for beside that library. Wheels bring CUDA in
 * folders that the dynamic linker does not know, and NVRTC 13.0 opens its builtins so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/libcuda/nvml.h"

#define EXPORTED __attribute__((visibility("default")))
#define REFUSED_DRIVER "libcuda.so.1 in a name space of its own (its memory would not be counted)"
#define REFUSED_NVML                                                                               \
	"libnvidia-ml.so.1 in a name space of its own (it would not show the limit of memory)"

typedef void *open_fn(const char *path, int flags);
typedef void *open_in_fn(Lmid_t space, const char *path, int flags);

EXPORTED open_fn dlopen;
EXPORTED open_in_fn dlmopen;

static struct {
	open_fn *open;
	open_in_fn *open_in;
} libc;

/* The name of what is given in its place; NULL: it is what it is. */
static const char *place_of(const char *path)
{
	if (libcuda_is_loaded() && libcuda_is_driver(path))
		return LIBCUDA_NAME;
	return nvml_is_library(path) ? NVML_NAME : NULL;
}

static const char *path_to_open(const char *path)
{
	const char *name = path ? place_of(path) : NULL;

	if (!libc.open)
		libc.open = (open_fn *)dlsym(RTLD_NEXT, "dlopen");
	return name ? name : path;
}

static bool is_loaded(const char *name)
{
	void *handle = libc.open(name, RTLD_LAZY | RTLD_NOLOAD);

	if (handle)
		dlclose(handle);
	return handle;
}

/* The file of that bare name beside the library with this code, in `ret`; NULL: there is none, or
 * it is loaded already. */
static const char *beside(const char *name, const void *code, char ret[PATH_MAX])
{
	const char *end;
	Dl_info info;

	if (strchr(name, '/') || !dladdr(code, &info) || !info.dli_fname)
		return NULL;
	end = strrchr(info.dli_fname, '/');
	if (!end || snprintf(ret, PATH_MAX, "%.*s/%s", (int)(end - info.dli_fname), info.dli_fname,
			     name) >= PATH_MAX)
		return NULL;
	return access(ret, R_OK) || is_loaded(name) ? NULL : ret;
}

/* libc looks at the caller's library for where to search: compiled with optimisation, the last call
 * is a jump. */
void *dlopen(const char *path, int flags)
{
	static __thread char buffer[PATH_MAX];
	const char *found;

	path = path_to_open(path);
	found = path ? beside(path, __builtin_return_address(0), buffer) : NULL;
	if (found)
		path = found;
	return libc.open(path, flags);
}

/* Whether it, or a library that it needs, is one whose place we take: its name, or NULL. */
static const char *brought_by(void *handle)
{
	const struct link_map *m;
	const char *name = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &m))
		return NULL;
	while (m->l_prev)
		m = m->l_prev;
	for (; m && !name; m = m->l_next)
		name = place_of(m->l_name);
	return name;
}

void *dlmopen(Lmid_t space, const char *path, int flags)
{
	const char *name = path ? place_of(path) : NULL;
	void *handle;

	if (!libc.open_in)
		libc.open_in = (open_in_fn *)dlsym(RTLD_NEXT, "dlmopen");
	path = path_to_open(path);
	if (space == LM_ID_BASE || !libcuda_is_loaded())
		return libc.open_in(space, path, flags);
	handle = name ? NULL : libc.open_in(space, path, flags);
	if (!name && !handle)
		return NULL;
	if (!name && !(name = brought_by(handle)))
		return handle;
	if (handle)
		dlclose(handle);
	/* dlerror() says why. */
	return libc.open(!strcmp(name, NVML_NAME) ? REFUSED_NVML : REFUSED_DRIVER, RTLD_NOW);
}
