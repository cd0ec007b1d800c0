/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Library Management: device code that a cell loads as data, PTX or a fat
 * binary. It becomes a unit of the session as that of a cell does, so it comes back in the next
 * worker. A handle of a kernel is good wherever the address of a stub is.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/cuda/fat-binary.h"
#include "common/cuda/ptx-lexer.h"
#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/code/registration.h"
#include "runtime/cuda/ptx/ptx-variables.h"
#include "runtime/cuda/session/source-text.h"

static struct session_library *find(cudaLibrary_t handle)
{
	return session_index_of(&device.session->libraries, handle) < 0
		       ? NULL
		       : (struct session_library *)handle;
}

static struct session_library_name *name_at(const struct session_library *l, uint32_t i)
{
	return *session_at(&l->names, struct session_library_name *, i);
}

static struct session_library_name *find_name(const struct session_library *l, const char *name,
					      bool is_kernel)
{
	for (uint32_t i = 0; i < l->names.n; i++)
		if (name_at(l, i)->is_kernel == is_kernel && !strcmp(name_at(l, i)->name, name))
			return name_at(l, i);
	return NULL;
}

/* A load at work: the library, and the names of its text. */
struct load {
	struct session_library *library;
	struct buffer names;   /* struct device_code_name */
	struct buffer kernels; /* struct unit_kernel */
};

static int add_name(struct load *l, const char *name, size_t len, const struct ptx_variable *v,
		    struct error *err)
{
	struct session_library_name *n = device.host->session_alloc(sizeof(*n)), **slot;
	bool managed = v && v->is_managed;

	if (!n)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	*n = (struct session_library_name){ .name = device.host->session_alloc(len + 1),
					    .is_kernel = !v };
	n->size = v ? v->size : 0;
	slot = n->name ? session_append(&l->library->names, struct session_library_name *) : NULL;
	if (!slot) {
		if (n->name)
			device.host->session_free(n->name);
		device.host->session_free(n);
		return error_set(err, ERROR_MEMORY, "out of session memory");
	}
	*slot = n;
	memcpy(n->name, name, len);
	n->name[len] = '\0';
	buffer_append(
		&l->names,
		&(struct device_code_name){ n->name, managed ? (void *)&n->managed : n, managed },
		sizeof(struct device_code_name));
	if (!v)
		buffer_append(&l->kernels,
			      &(struct unit_kernel){ .name = n->name, .ptx_name = n->name },
			      sizeof(struct unit_kernel));
	return 0;
}

static int add_kernels(struct load *l, const char *ptx, size_t len, struct error *err)
{
	struct ptx_token t = { 0 }, before;
	struct ptx_lexer lexer;
	int failed = 0;

	ptx_lexer_init(&lexer, ptx, len);
	do {
		before = t;
		ptx_lexer_next(&lexer, &t);
		if (t.kind == PTX_TOKEN_IDENTIFIER && before.kind == PTX_TOKEN_DOTTED &&
		    before.len == strlen(".entry") && !memcmp(before.text, ".entry", before.len))
			failed = add_name(l, t.text, t.len, NULL, err);
	} while (t.kind != PTX_TOKEN_END && t.kind != PTX_TOKEN_BAD && !failed);
	return failed;
}

static int add_variables(struct load *l, const char *ptx, size_t len, struct error *err)
{
	struct ptx_variables v;
	int failed;

	ptx_variables_init(&v);
	failed = ptx_variables_scan(&v, ptx, len, err);
	for (size_t i = 0; i < v.n && !failed; i++)
		if (v.items[i].is_visible && !v.items[i].is_extern && !v.items[i].in_module)
			failed = add_name(l, v.items[i].name, strlen(v.items[i].name), &v.items[i],
					  err);
	ptx_variables_release(&v);
	return failed;
}

static int load_unit(struct load *l, const struct buffer *ptx, struct error *err)
{
	struct unit u = { .cell = device.cell, .ptx = buffer_text(ptx), .ptx_len = ptx->len };
	struct device_code_names names;

	if (add_kernels(l, u.ptx, u.ptx_len, err) || add_variables(l, u.ptx, u.ptx_len, err) ||
	    buffer_check(&l->names, err) || buffer_check(&l->kernels, err))
		return -1;
	names = (struct device_code_names){ (void *)l->names.data,
					    l->names.len / sizeof(*names.at) };
	u.kernels = (void *)l->kernels.data;
	u.n_kernels = l->kernels.len / sizeof(*u.kernels);
	source_text_keep();
	return device_code_load_registered(&u, &names, err);
}

static void free_managed(void *p)
{
	struct session_buffer *b = ledger_find((uintptr_t)p);

	if (!b)
		return;
	ledger_free(b);
	device.host->heap_free(p);
}

static void forget_library(struct session_library *l)
{
	struct session_array *a = &device.session->libraries;

	for (uint32_t i = 0; i < l->names.n; i++) {
		struct session_library_name *n = name_at(l, i);

		device_code_forget(n);
		free_managed(n->managed);
		device.host->session_free(n->name);
		device.host->session_free(n);
	}
	session_array_clear(&l->names);
	for (uint32_t i = a->n; i-- > 0;)
		if (*session_at(a, void *, i) == l)
			session_remove(a, sizeof(void *), i);
	device.host->session_free(l);
}

static cudaError_t new_library(const struct buffer *ptx, cudaLibrary_t *ret, struct error *err)
{
	struct load l = { .library = device.host->session_alloc(sizeof(*l.library)) };
	struct session_library **slot = NULL;
	int failed;

	if (l.library) {
		*l.library = (struct session_library){ 0 };
		slot = session_append(&device.session->libraries, struct session_library *);
	}
	if (!slot) {
		if (l.library)
			device.host->session_free(l.library);
		return cudaErrorMemoryAllocation;
	}
	*slot = l.library;
	failed = load_unit(&l, ptx, err);
	buffer_release(&l.names);
	buffer_release(&l.kernels);
	if (!failed) {
		*ret = (cudaLibrary_t)l.library;
		return cudaSuccess;
	}
	forget_library(l.library);
	return err->code == ERROR_MEMORY || err->code == ERROR_LIMIT ? cudaErrorMemoryAllocation
								     : cudaErrorInvalidPtx;
}

/* An error says what the text is, so that its reader sees why; a cubin has no PTX to run on any
 * device. */
static cudaError_t load(const void *code, cudaLibrary_t *ret)
{
	cleanup_buffer struct buffer ptx = BUFFER_INIT;
	struct error err = ERROR_INIT;
	cudaError_t result = cudaSuccess;

	if (!code || !ret)
		return cudaErrorInvalidValue;
	if (!strncmp(code, "\177ELF", 4)) {
		error_set(&err, ERROR_UNSUPPORTED,
			  "it is machine code for one kind of device; load PTX or a fat binary "
			  "with PTX");
		result = cudaErrorNoKernelImageForDevice;
	} else if (fat_binary_is(code)) {
		if (registration_ptx(code, &ptx, &err))
			result = cudaErrorNoKernelImageForDevice;
	} else {
		buffer_puts(&ptx, code);
	}
	device_lock();
	if (!result)
		result = new_library(&ptx, ret, &err);
	device_unlock();
	if (result && err.text[0]) {
		device_print(true, "The library was not loaded: ",
			     strlen("The library was not loaded: "));
		device_print(true, err.text, strlen(err.text));
		device_print(true, "\n", 1);
	}
	return result;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *ret, const void *code, enum cudaJitOption *jit,
				void **jit_values, unsigned int n_jit,
				enum cudaLibraryOption *options, void **values, unsigned int n)
{
	(void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
	return CUDART_CALL(load(code, ret));
}

static cudaError_t load_file(const char *path, cudaLibrary_t *ret)
{
	cleanup_buffer struct buffer content = BUFFER_INIT;
	struct error err = ERROR_INIT;
	char piece[4096];
	size_t n;
	FILE *f = path ? fopen(path, "re") : NULL;

	if (!f)
		return path ? cudaErrorFileNotFound : cudaErrorInvalidValue;
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buffer_append(&content, piece, n);
	fclose(f);
	if (buffer_check(&content, &err))
		return cudaErrorMemoryAllocation;
	if (fat_binary_is(buffer_text(&content)) && !fat_binary_is_whole(content.data, content.len))
		return cudaErrorInvalidKernelImage;
	return load(buffer_text(&content), ret);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *ret, const char *path, enum cudaJitOption *jit,
				    void **jit_values, unsigned int n_jit,
				    enum cudaLibraryOption *options, void **values, unsigned int n)
{
	(void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
	return CUDART_CALL(load_file(path, ret));
}

static cudaError_t unload(cudaLibrary_t library)
{
	struct session_library *l;
	cudaError_t result = cudart_error(device_synchronize_all());

	if (result)
		return result;
	device_lock();
	l = find(library);
	if (l)
		forget_library(l);
	device_unlock();
	return l ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	return CUDART_CALL(unload(library));
}

static cudaError_t get_name(cudaLibrary_t library, const char *name, bool is_kernel,
			    struct session_library_name **ret)
{
	const struct session_library *l = find(library);

	if (!l || !name)
		return l ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	*ret = find_name(l, name, is_kernel);
	return *ret ? cudaSuccess : cudaErrorSymbolNotFound;
}

static cudaError_t get_kernel(cudaKernel_t *ret, cudaLibrary_t library, const char *name)
{
	struct session_library_name *n;
	cudaError_t result = ret ? get_name(library, name, true, &n) : cudaErrorInvalidValue;

	if (!result)
		*ret = (cudaKernel_t)(void *)n;
	return result;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *ret, cudaLibrary_t library, const char *name)
{
	return CUDART_CALL(get_kernel(ret, library, name));
}

static cudaError_t get_global(void **ret, size_t *ret_size, cudaLibrary_t library, const char *name,
			      bool managed)
{
	struct session_library_name *n;
	cudaError_t result = get_name(library, name, false, &n);
	void *at = NULL;

	if (!result && !n->managed != !managed)
		result = cudaErrorSymbolNotFound;
	if (!result && managed)
		at = n->managed;
	else if (!result)
		result = cudart_symbol_range(n, 0, 0, &at);
	if (!result && ret)
		*ret = at;
	if (!result && ret_size)
		*ret_size = n->size;
	return result;
}

cudaError_t cudaLibraryGetGlobal(void **ret, size_t *ret_size, cudaLibrary_t library,
				 const char *name)
{
	return CUDART_CALL(get_global(ret, ret_size, library, name, false));
}

cudaError_t cudaLibraryGetManaged(void **ret, size_t *ret_size, cudaLibrary_t library,
				  const char *name)
{
	return CUDART_CALL(get_global(ret, ret_size, library, name, true));
}

/* The first `room` of its kernels, and how many there are. */
static cudaError_t list_kernels(cudaKernel_t *kernels, unsigned room, unsigned *ret,
				cudaLibrary_t library)
{
	const struct session_library *l = find(library);
	unsigned n = 0;

	if (!l || (room && !kernels))
		return l ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	for (uint32_t i = 0; i < l->names.n; i++) {
		if (!name_at(l, i)->is_kernel)
			continue;
		if (n < room)
			kernels[n] = (cudaKernel_t)(void *)name_at(l, i);
		n++;
	}
	if (ret)
		*ret = n;
	return cudaSuccess;
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *ret, cudaLibrary_t library)
{
	return CUDART_CALL(ret ? list_kernels(NULL, 0, ret, library) : cudaErrorInvalidValue);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int room,
					cudaLibrary_t library)
{
	return CUDART_CALL(list_kernels(kernels, room, NULL, library));
}
