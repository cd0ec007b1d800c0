/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: scan the PTX for variables, place and fill them, rewrite the text, load it, note the entries. */
#include "runtime/cuda/device-code.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/unit.h"
#include "runtime/cuda/device-state.h"
#include "runtime/cuda/ledger.h"
#include "runtime/cuda/preimage.h"
#include "runtime/cuda/ptx-variables.h"

#define LOG_MAX 900

struct session_entry *device_code_entry(const char *name)
{
	const struct session_array *a = &device.session->entries;

	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(session_at(a, struct session_entry, i)->name, name))
			return session_at(a, struct session_entry, i);
	return NULL;
}

struct session_entry *device_code_entry_at(const void *stub)
{
	const struct session_array *a = &device.session->entries;

	for (uint32_t i = 0; stub && i < a->n; i++)
		if (session_at(a, struct session_entry, i)->stub == stub)
			return session_at(a, struct session_entry, i);
	return NULL;
}

static struct session_variable *find_variable(const char *name)
{
	const struct session_array *a = &device.session->variables;

	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(session_at(a, struct session_variable, i)->name, name))
			return session_at(a, struct session_variable, i);
	return NULL;
}

struct session_variable *device_code_variable_at(const void *stand_in)
{
	const struct session_array *a = &device.session->variables;

	for (uint32_t i = 0; stand_in && i < a->n; i++)
		if (session_at(a, struct session_variable, i)->stand_in == stand_in)
			return session_at(a, struct session_variable, i);
	return NULL;
}

uint64_t device_variable(uint64_t stand_in, uint64_t *ret_size)
{
	const struct session_variable *v = device.session ? device_code_variable_at((void *)(uintptr_t)stand_in) : NULL;

	if (!v || v->managed)
		return 0;
	*ret_size = v->size;
	return v->address;
}

/*
 * Of the load at work, under device.lock; NULL: the worker knows. Programs of nvcc may each have a static entry or variable of
 * one name: those are known by their addresses on the host alone, and their C name is "".
 */
static const struct device_code_names *registered;

static const struct device_code_name *find_registered(const char *name)
{
	for (size_t i = 0; registered && i < registered->n; i++)
		if (!strcmp(registered->at[i].name, name))
			return &registered->at[i];
	return NULL;
}

static void *host_symbol(const char *name)
{
	const struct device_code_name *known = find_registered(name);

	if (registered)
		return known && !known->is_pointer ? known->address : NULL;
	return device.host->host_symbol ? device.host->host_symbol(name) : NULL;
}

/*
 * Has it a name in C, so that later cells can mean it? NVRTC leaves file-scope names as they are, static ones too. Strings
 * ($str), tables of the compiler (__cudart_...) and function-local variables (_ZZ...) have none.
 */
static bool is_named(const struct ptx_variable *v)
{
	if (registered)
		return find_registered(v->name) != NULL;
	return v->is_visible || (v->name[0] != '$' && strncmp(v->name, "__", 2) && strncmp(v->name, "_Z", 2));
}

/* A managed variable is its host object. */
static CUresult place_managed(const struct ptx_variable *v, const char *name, uint64_t *ret)
{
	struct ledger_request r = { .size = v->size, .kind = BUFFER_MANAGED, .name = name, .call = "__managed__" };
	void *p = host_symbol(name);
	CUresult result;

	if (!p)
		p = device.host->heap_alloc(v->size, LEDGER_HOST_ALIGN);
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*ret = (uintptr_t)p;
	if (ledger_find((uintptr_t)p))
		return CUDA_SUCCESS;
	result = device.driver->cuMemHostRegister(p, v->size, 0);
	return result ? result : ledger_add_host(&r, (uintptr_t)p);
}

static CUresult place_device(const struct ptx_variable *v, const char *name, uint64_t *ret)
{
	struct ledger_request r = { .size = v->size, .name = name, .call = "a __device__ variable" };

	r.kind = v->is_constant ? BUFFER_CONSTANT : is_named(v) ? BUFFER_VARIABLE : BUFFER_PRIVATE;
	return ledger_alloc(&r, ret);
}

/* The host's pointer to a managed variable that was registered. */
static bool set_pointer(const struct ptx_variable *v)
{
	const struct device_code_name *known = find_registered(v->name);

	if (!known || !known->is_pointer)
		return false;
	*(void **)known->address = (void *)(uintptr_t)v->address;
	return true;
}

/* Storage of a definition: that of the earlier one when it has the same size and kind. */
static int place_definition(struct ptx_variable *v, struct error *err)
{
	const char *name = v->name;
	struct session_variable *known;
	CUresult result;

	known = !is_named(v) ? NULL : registered ? device_code_variable_at(host_symbol(name)) : find_variable(name);
	if (known && known->size == v->size && known->constant == v->is_constant && known->managed == v->is_managed &&
	    !v->is_managed) {
		v->address = known->address;
		known->stand_in = host_symbol(name);
		return 0;
	}
	result = v->is_managed ? place_managed(v, name, &v->address) : place_device(v, name, &v->address);
	if (result == CUDA_ERROR_OUT_OF_MEMORY && ledger_refusal()[0])
		return error_set(err, ERROR_LIMIT, "%s", ledger_refusal());
	if (result)
		return error_set(err, ERROR_MEMORY, "no device memory for `%s` of %llu bytes (driver error %d)", name,
				 (unsigned long long)v->size, (int)result);
	if (!is_named(v) || set_pointer(v))
		return 0;
	if (!known) {
		known = session_append(&device.session->variables, struct session_variable);
		if (known)
			known->name = session_strdup(registered ? "" : name);
	}
	if (!known || !known->name)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	known->stand_in = host_symbol(name);
	known->address = v->address;
	known->size = v->size;
	known->constant = v->is_constant;
	known->managed = v->is_managed;
	return 0;
}

static int place_extern(struct ptx_variable *v, struct error *err)
{
	const char *name = v->name;
	const struct session_variable *known = find_variable(name);

	if (!known)
		return error_set(err, ERROR_NOT_FOUND, "the device variable `%s` is declared but no cell has defined it",
				 name);
	if (v->size && v->size != known->size)
		return error_set(err, ERROR_INPUT, "the device variable `%s` has %llu bytes, but is used with %llu", name,
				 (unsigned long long)known->size, (unsigned long long)v->size);
	v->address = known->address;
	return 0;
}

static int fill(const struct ptx_variables *v, size_t i, struct error *err)
{
	const struct ptx_variable *item = &v->items[i];
	cleanup_free void *bytes = calloc(1, item->size ? item->size : 1);
	struct session_buffer *b = ledger_find(item->address);
	CUresult result = CUDA_SUCCESS;

	if (!bytes)
		return error_set(err, ERROR_MEMORY, "out of memory");
	if (ptx_variables_image(v, i, bytes, err))
		return -1;
	if (b)
		result = preimage_save(b);
	if (!result && item->size)
		result = device.driver->cuMemcpy(item->address, (uintptr_t)bytes, item->size);
	if (!result)
		return 0;
	return error_set(err, ERROR_SYSTEM, "cannot initialise the device variable `%s`: driver error %d", item->name,
			 (int)result);
}

static int place_variables(struct ptx_variables *v, struct error *err)
{
	for (size_t i = 0; i < v->n; i++) {
		struct ptx_variable *item = &v->items[i];

		if (item->in_module)
			continue;
		if (item->is_extern ? place_extern(item, err) : place_definition(item, err))
			return -1;
	}
	for (size_t i = 0; i < v->n; i++)
		if (!v->items[i].in_module && !v->items[i].is_extern && fill(v, i, err))
			return -1;
	return 0;
}

static CUresult load_module(struct session_unit *u, char *log, size_t log_size)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)log_size };
	CUresult result;

	log[0] = '\0';
	result = device.driver->cuModuleLoadDataEx(&u->module, u->text, 2, options, values);
	if (!result)
		u->epoch = device.epoch;
	return device_note(result);
}

/* The unit that an entry leaves; without entries nobody can launch anything of it. */
static void leave_unit(uint32_t index)
{
	struct session_unit *u = session_at(&device.session->units, struct session_unit, index);

	if (--u->entries)
		return;
	if (u->epoch == device.epoch)
		device.driver->cuModuleUnload(u->module);
	device.host->session_free(u->text);
	u->text = NULL;
	u->epoch = 0;
}

static int add_entry(const struct unit_entry *from, uint32_t unit, struct error *err)
{
	struct session_entry *e = registered ? device_code_entry_at(host_symbol(from->name)) : device_code_entry(from->name);
	char *ptx_name = session_strdup(from->ptx_name);

	if (!ptx_name)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	if (e) {
		leave_unit(e->unit);
		device.host->session_free(e->ptx_name);
	} else {
		e = session_append(&device.session->entries, struct session_entry);
		if (e)
			e->name = session_strdup(registered ? "" : from->name);
		if (!e || !e->name)
			return error_set(err, ERROR_MEMORY, "out of session memory");
	}
	e->ptx_name = ptx_name;
	e->stub = host_symbol(from->name);
	e->unit = unit;
	e->epoch = 0;
	e->dynamic_shared = -1;
	session_at(&device.session->units, struct session_unit, unit)->entries++;
	return 0;
}

/* A free slot of the table; slots of units that nobody needs are used again. */
static struct session_unit *new_unit(uint32_t *ret_index)
{
	struct session_array *a = &device.session->units;

	for (*ret_index = 0; *ret_index < a->n; ++*ret_index)
		if (!session_at(a, struct session_unit, *ret_index)->text)
			return session_at(a, struct session_unit, *ret_index);
	return session_append(a, struct session_unit);
}

static int add_unit(const struct unit *u, const char *text, struct error *err)
{
	struct session_unit *unit;
	char log[LOG_MAX];
	uint32_t index;
	CUresult result;

	unit = new_unit(&index);
	if (!unit)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	*unit = (struct session_unit){ .cell = u->cell, .text = session_strdup(text) };
	if (!unit->text)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	result = load_module(unit, log, sizeof(log));
	if (result) {
		const char *why = "";

		device.driver->cuGetErrorString(result, &why);
		return error_set(err, ERROR_COMPILE, "the device does not take the code of this cell: %s (%d)%s%s", why,
				 (int)result, log[0] ? ": " : "", log);
	}
	for (size_t i = 0; i < u->n_entries; i++)
		if (add_entry(&u->entries[i], index, err))
			return -1;
	return 0;
}

int device_code_load(const struct unit *u, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct ptx_variables v;
	int ret = -1;

	ptx_variables_init(&v);
	if (!ptx_variables_scan(&v, u->ptx, u->ptx_len, err) && !place_variables(&v, err) &&
	    !ptx_variables_rewrite(&v, &text, err) && !buffer_check(&text, err) &&
	    (!u->n_entries || !add_unit(u, buffer_text(&text), err)))
		ret = 0;
	ptx_variables_release(&v);
	return ret;
}

int device_code_load_registered(const struct unit *u, const struct device_code_names *names, struct error *err)
{
	int failed;

	registered = names;
	failed = device_code_load(u, err);
	registered = NULL;
	return failed;
}

CUresult device_code_function(struct session_entry *e, CUfunction *ret)
{
	struct session_unit *u = session_at(&device.session->units, struct session_unit, e->unit);
	CUresult result = CUDA_SUCCESS;
	char log[LOG_MAX];

	if (u->epoch != device.epoch)
		result = load_module(u, log, sizeof(log));
	if (result)
		return result;
	if (e->epoch != device.epoch) {
		result = device.driver->cuModuleGetFunction(&e->function, u->module, e->ptx_name);
		if (!result && e->dynamic_shared >= 0)
			result = device.driver->cuFuncSetAttribute(
				e->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, e->dynamic_shared);
		if (!result)
			e->epoch = device.epoch;
	}
	*ret = e->function;
	return device_note(result);
}
