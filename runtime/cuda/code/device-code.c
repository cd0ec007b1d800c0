/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading: scan the PTX for variables, place and fill them, rewrite the text, load it, note the
 * kernels. All but the last is done for each device, for the current one at once and for the others
 * when they first use the unit: a variable has a place of its own on each of them.
 */
#include "runtime/cuda/code/device-code.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/code/unit.h"
#include "runtime/cuda/code/device-module.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/ptx/ptx-variables.h"
#include "runtime/cuda/ptx/ptx-writes.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/preimage.h"

struct session_kernel *device_code_kernel(const char *name)
{
	const struct session_array *a = &device.session->kernels;

	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(session_at(a, struct session_kernel, i)->name, name))
			return session_at(a, struct session_kernel, i);
	return NULL;
}

struct session_kernel *device_code_kernel_at(const void *stub)
{
	const struct session_array *a = &device.session->kernels;

	for (uint32_t i = 0; stub && i < a->n; i++)
		if (session_at(a, struct session_kernel, i)->stub == stub)
			return session_at(a, struct session_kernel, i);
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

/* The one that a byte of a stand-in belongs to. */
static const struct session_variable *variable_around(uint64_t byte)
{
	const struct session_array *a = &device.session->variables;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_variable *v = session_at(a, struct session_variable, i);

		if (v->stand_in && !v->managed && byte - (uintptr_t)v->stand_in < v->size)
			return v;
	}
	return NULL;
}

uint64_t device_code_stand_in(uint64_t stand_in, uint64_t *ret_size)
{
	const struct session_variable *v;
	uint64_t address = 0, offset = 0;

	if (!device.session)
		return 0;
	device_lock();
	v = variable_around(stand_in);
	if (v) {
		offset = stand_in - (uintptr_t)v->stand_in;
		*ret_size = v->size - offset;
		address = v->address[device_current()];
		for (int i = 0; i < DEVICES_MAX && !address; i++)
			address = v->address[i];
	}
	device_unlock();
	return address ? address + offset : 0;
}

/*
 * Of the load at work, under device.lock; NULL: the worker knows. Programs of nvcc may each have a
 * static kernel or variable of one name: those are known by their addresses on the host alone, and
 * their C name is "".
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

/* A registered variable is known by itself, or by the pointer to it. */
static void *stand_in_of(const char *name)
{
	const struct device_code_name *known = find_registered(name);

	return registered ? known ? known->address : NULL : host_symbol(name);
}

/*
 * Has it a name in C, so that later cells can mean it? NVRTC leaves file-scope names as they are,
 * static ones too. Strings
 * ($str), tables of the compiler (__cudart_...) and function-local variables (_ZZ...) have none.
 */
static bool is_named(const struct ptx_variable *v)
{
	if (registered)
		return find_registered(v->name) != NULL;
	return v->is_visible ||
	       (v->name[0] != '$' && strncmp(v->name, "__", 2) && strncmp(v->name, "_Z", 2));
}

static struct session_unit *unit_at(uint32_t index)
{
	return session_at(&device.session->units, struct session_unit, index);
}

static struct session_variable *variable_at(uint32_t index)
{
	return session_at(&device.session->variables, struct session_variable, index);
}

/* The place of a variable of the unit; its index is that of the item in the source. */
static struct session_place *place_at(uint32_t unit, size_t i)
{
	return session_at(&unit_at(unit)->places, struct session_place, i);
}

/* A program that is run again keeps the memory that its pointer led to; NULL: there is none. */
static void *earlier_managed(const struct ptx_variable *v)
{
	const struct session_variable *known =
		registered ? device_code_variable_at(stand_in_of(v->name)) : NULL;

	return known && known->managed && known->size == v->size
		       ? (void *)(uintptr_t)known->address[0]
		       : NULL;
}

/* A managed variable is its host object, on all devices. */
static CUresult place_managed(const struct ptx_variable *v, const char *name, uint64_t *ret)
{
	struct ledger_request r = { .size = v->size,
				    .device = device_current(),
				    .kind = BUFFER_MANAGED,
				    .name = name,
				    .call = "__managed__" };
	void *p = host_symbol(name);

	if (!p)
		p = earlier_managed(v);
	if (!p)
		p = device.host->heap_alloc(v->size, LEDGER_HOST_ALIGN);
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*ret = (uintptr_t)p;
	if (ledger_find((uintptr_t)p))
		return CUDA_SUCCESS;
	return ledger_add_host(&r, (uintptr_t)p);
}

static int place_device(const struct ptx_variable *v, bool named, uint64_t *ret, struct error *err)
{
	struct ledger_request r = { .size = v->size,
				    .device = device_current(),
				    .name = v->name,
				    .call = "a __device__ variable" };
	CUresult result;

	if (!strncmp(v->name, "$str", 4))
		r.name = "texts of printf";
	r.kind = v->is_constant ? BUFFER_CONSTANT : named ? BUFFER_VARIABLE : BUFFER_PRIVATE;
	result = ledger_alloc(&r, ret);
	if (result == CUDA_ERROR_OUT_OF_MEMORY && ledger_refusal()[0])
		return error_set(err, ERROR_LIMIT, "%s", ledger_refusal());
	if (result)
		return error_set(err, ERROR_MEMORY,
				 "no device memory for `%s` of %llu bytes (driver error %d)",
				 v->name, (unsigned long long)v->size, (int)result);
	return 0;
}

/* The host's pointer to a managed variable that was registered. */
static void set_pointer(const struct ptx_variable *v, uint64_t address)
{
	const struct device_code_name *known = find_registered(v->name);

	if (known && known->is_pointer)
		*(void **)known->address = (void *)(uintptr_t)address;
}

/* The unit that a kernel or a variable leaves; without them nobody can use anything of it. */
static void leave_unit(uint32_t index)
{
	struct session_unit *u = unit_at(index);
	int before = device_current();

	if (--u->users)
		return;
	for (int i = 0; i < DEVICES_MAX; i++) {
		if (u->on[i].epoch == device.epoch && i < device.count && !device_switch(i))
			device.driver->cuModuleUnload(u->on[i].module);
		if (u->on[i].text)
			device.host->session_free(u->on[i].text);
	}
	device_switch(before);
	session_array_clear(&u->places);
	device.host->session_free(u->source);
	*u = (struct session_unit){ 0 };
}

/* The session's variable of a definition: that of the earlier one of its name, or a new one; NULL:
 * out of session memory. */
static struct session_variable *claim_variable(const struct ptx_variable *v, uint32_t unit,
					       bool *ret_kept)
{
	struct session_variable *known =
		registered ? device_code_variable_at(stand_in_of(v->name)) : find_variable(v->name);

	*ret_kept = known && known->size == v->size && known->constant == v->is_constant &&
		    !known->managed && !v->is_managed && !known->in_module && !v->in_module;
	if (known) {
		leave_unit(known->unit);
	} else {
		known = session_append(&device.session->variables, struct session_variable);
		if (known)
			known->name = session_strdup(registered ? "" : v->name);
	}
	if (!known || !known->name)
		return NULL;
	if (!*ret_kept)
		memset(known->address, 0, sizeof(known->address));
	known->unit = unit;
	known->stand_in = stand_in_of(v->name);
	known->size = v->size;
	known->constant = v->is_constant;
	known->managed = v->is_managed;
	known->in_module = v->in_module;
	unit_at(unit)->users++;
	return known;
}

/* When the unit comes: whose its definitions are. A kept one has its place on all devices that it
 * had one on. */
static int claim_definition(const struct ptx_variable *v, uint32_t unit, size_t i,
			    struct error *err)
{
	struct session_variable *known = NULL;
	uint64_t address = 0;
	bool kept;

	if (v->is_managed && place_managed(v, v->name, &address))
		return error_set(err, ERROR_MEMORY, "no device memory for `%s` of %llu bytes",
				 v->name, (unsigned long long)v->size);
	if (v->is_managed)
		set_pointer(v, address);
	if (is_named(v)) {
		known = claim_variable(v, unit, &kept);
		if (!known)
			return error_set(err, ERROR_MEMORY, "out of session memory");
		place_at(unit, i)->variable = (uint32_t)(known - variable_at(0)) + 1;
	}
	for (int d = 0; v->is_managed && d < DEVICES_MAX; d++) {
		place_at(unit, i)->address[d] = address;
		if (known)
			known->address[d] = address;
	}
	return 0;
}

static int claim_extern(const struct ptx_variable *v, uint32_t unit, size_t i, struct error *err)
{
	const struct session_variable *known = find_variable(v->name);

	if (!known)
		return error_set(err, ERROR_NOT_FOUND,
				 "the device variable `%s` is declared but no cell has defined it",
				 v->name);
	if (v->size && v->size != known->size)
		return error_set(err, ERROR_INPUT,
				 "the device variable `%s` has %llu bytes, but is used with %llu",
				 v->name, (unsigned long long)known->size,
				 (unsigned long long)v->size);
	place_at(unit, i)->variable = (uint32_t)(known - variable_at(0)) + 1;
	return 0;
}

static int fill_unit(uint32_t unit, struct error *err);

/* On the current device. A variable that a later unit has defined anew comes from that one. */
static int place(const struct ptx_variable *v, uint32_t unit, size_t i, struct error *err)
{
	uint32_t index = place_at(unit, i)->variable;
	uint64_t *address = place_at(unit, i)->address + device_current();
	struct session_variable *known = index ? variable_at(index - 1) : NULL;

	if (*address)
		return 0;
	/* It was defined anew with another size: what this unit means is another one. */
	if (known && v->size && known->size != v->size)
		known = NULL;
	if (known && known->unit != unit && fill_unit(known->unit, err))
		return -1;
	if (known && known->address[device_current()]) {
		*address = known->address[device_current()];
		return 0;
	}
	if (place_device(v, known != NULL, address, err))
		return -1;
	if (known)
		known->address[device_current()] = *address;
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
	trace_hide();
	if (!result && item->size)
		result = device.driver->cuMemcpy(item->address, (uintptr_t)bytes, item->size);
	trace_unhide();
	if (!result)
		return 0;
	return error_set(err, ERROR_SYSTEM,
			 "cannot initialise the device variable `%s`: driver error %d", item->name,
			 (int)result);
}

/* The initial value is this unit's to give: no other one has defined the variable anew. */
static bool gives_value(const struct ptx_variables *v, uint32_t unit, size_t i)
{
	uint32_t index = place_at(unit, i)->variable;

	return !v->items[i].in_module && !v->items[i].is_extern &&
	       (!index || variable_at(index - 1)->unit == unit ||
		variable_at(index - 1)->size != v->items[i].size);
}

/* Places, initial values and the text, on the current device. */
static int fill_scanned(struct ptx_variables *v, uint32_t unit, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	int d = device_current();
	bool any = false;

	unit_at(unit)->filled |= 1u << d;
	for (size_t i = 0; i < v->n; i++) {
		if (v->items[i].in_module)
			continue;
		if (place(&v->items[i], unit, i, err))
			return -1;
		v->items[i].address = place_at(unit, i)->address[d];
		any = true;
	}
	for (size_t i = 0; i < v->n; i++)
		if (gives_value(v, unit, i) && fill(v, i, err))
			return -1;
	if (!any)
		return 0;
	if (ptx_variables_rewrite(v, &text, err) || buffer_check(&text, err))
		return -1;
	unit_at(unit)->on[d].text = session_strdup(buffer_text(&text));
	return unit_at(unit)->on[d].text ? 0
					 : error_set(err, ERROR_MEMORY, "out of session memory");
}

/* On a device that has not used the unit before. */
static int fill_unit(uint32_t unit, struct error *err)
{
	const struct session_unit *u = unit_at(unit);
	struct ptx_variables v;
	int ret;

	if (u->filled >> device_current() & 1)
		return 0;
	ptx_variables_init(&v);
	ret = ptx_variables_scan(&v, u->source, strlen(u->source), err)
		      ? -1
		      : fill_scanned(&v, unit, err);
	ptx_variables_release(&v);
	if (ret)
		unit_at(unit)->filled &= ~(1u << device_current());
	return ret;
}

uint64_t device_code_variable_address(struct session_variable *v)
{
	uint32_t index = (uint32_t)(v - variable_at(0));
	struct error err = ERROR_INIT;

	if (!v->managed && fill_unit(v->unit, &err))
		log_error("device code: %s", err.text);
	return variable_at(index)->address[device_current()];
}

static CUresult load_module(struct session_unit *u, struct error *err);

/* A pointer to a function of an earlier unit means something only while that unit is loaded. */
static void load_pointed_at(void)
{
	int d = device_current();
	struct error err = ERROR_INIT;

	if (device.contexts[d].code_epoch == device.epoch)
		return;
	device.contexts[d].code_epoch = device.epoch;
	for (uint32_t i = 0; i < device.session->units.n; i++)
		if (unit_at(i)->holds_code && unit_at(i)->source &&
		    unit_at(i)->on[d].epoch != device.epoch && load_module(unit_at(i), &err))
			log_error("device code: %s", err.text);
}

static CUresult load_module(struct session_unit *u, struct error *err)
{
	int d = device_current();
	CUresult result;

	load_pointed_at();
	if (u->on[d].epoch == device.epoch)
		return CUDA_SUCCESS;
	result = device_module_load(u->on[d].text ? u->on[d].text : u->source, &u->on[d].module,
				    err);
	if (!result)
		u->on[d].epoch = device.epoch;
	return device_note(result);
}

/* A caller that is told no more than a result finds the reason in the log. */
static CUresult need_module(struct session_unit *u)
{
	struct error err = ERROR_INIT;
	CUresult result = CUDA_SUCCESS;

	if (u->on[device_current()].epoch != device.epoch)
		result = load_module(u, &err);
	if (result)
		log_error("device code: %s", err.text);
	return result;
}

CUresult device_code_read(const struct session_variable *v, void *to, size_t size, size_t offset)
{
	struct session_unit *u = unit_at(v->unit);
	CUresult result = need_module(u);
	CUdeviceptr address;
	size_t all;

	if (!result)
		result = device.driver->cuModuleGetGlobal(&address, &all,
							  u->on[device_current()].module, v->name);
	if (!result && size)
		result = device.driver->cuMemcpy((uintptr_t)to, address + offset, size);
	return device_note(result);
}

/* Forgets what this worker knows of a kernel. */
static void forget_functions(struct session_kernel *kernel)
{
	for (int i = 0; i < DEVICES_MAX; i++)
		if (kernel->on[i].epoch == device.epoch && kernel->on[i].writes) {
			ptx_writes_release(kernel->on[i].writes);
			free(kernel->on[i].writes);
		}
	memset(kernel->on, 0, sizeof(kernel->on));
}

/* own: no other unit knows it by its name, nor the kernel by its. */
static void *stub_of(const struct unit_kernel *e, bool *ret_own)
{
	const char *symbol = e->stub ? e->stub : e->name;
	void *stub = host_symbol(symbol);

	*ret_own = registered != NULL;
	if (stub || registered || !device.host->own_function)
		return stub;
	stub = device.host->own_function(symbol);
	*ret_own = stub != NULL;
	return stub;
}

/* The kernel of an earlier load, which this one replaces. */
static struct session_kernel *find_kernel(const struct unit_kernel *from)
{
	bool own;
	void *stub = stub_of(from, &own);

	return own ? device_code_kernel_at(stub) : device_code_kernel(from->name);
}

static int add_kernel(const struct unit_kernel *from, uint32_t unit, struct error *err)
{
	bool own;
	void *stub = stub_of(from, &own);
	struct session_kernel *kernel = find_kernel(from);
	char *ptx_name = session_strdup(from->ptx_name);

	if (!ptx_name)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	if (kernel) {
		leave_unit(kernel->unit);
		device.host->session_free(kernel->ptx_name);
	} else {
		kernel = session_append(&device.session->kernels, struct session_kernel);
		if (kernel)
			kernel->name = session_strdup(own ? "" : from->name);
		if (!kernel || !kernel->name)
			return error_set(err, ERROR_MEMORY, "out of session memory");
	}
	kernel->ptx_name = ptx_name;
	kernel->stub = stub;
	kernel->unit = unit;
	forget_functions(kernel);
	kernel->dynamic_shared = -1;
	unit_at(unit)->users++;
	return 0;
}

/* A free slot of the table; slots of units that nobody needs are used again. */
static struct session_unit *new_unit(uint32_t *ret_index)
{
	struct session_array *a = &device.session->units;

	for (*ret_index = 0; *ret_index < a->n; ++*ret_index)
		if (!unit_at(*ret_index)->source)
			return unit_at(*ret_index);
	return session_append(a, struct session_unit);
}

/* `In[12]" ` is the same as `In[3]"  `: the compiler of a program keeps the length. */
static bool is_same_text(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++) {
		if (strncmp(a, "In[", 3) || strncmp(b, "In[", 3))
			continue;
		a += 3 + strspn(a + 3, "0123456789");
		b += 3 + strspn(b + 3, "0123456789");
		if (strncmp(a, "]\"", 2) || strncmp(b, "]\"", 2))
			return false;
		a += 1 + strspn(a + 2, " ");
		b += 1 + strspn(b + 2, " ");
	}
	return *a == *b;
}

/* The unit of the same code that this one replaces; NULL: none. A program that is run again has its
 * stubs where they were. */
static const struct session_unit *find_earlier(const struct unit *u, uint32_t index)
{
	const struct session_unit *earlier;
	const struct session_kernel *kernel = NULL;

	if (u->n_kernels)
		kernel = find_kernel(&u->kernels[0]);
	earlier = kernel ? unit_at(kernel->unit) : NULL;

	return earlier && (registered || is_same_text(earlier->source, unit_at(index)->source))
		       ? earlier
		       : NULL;
}

/* Strings and static variables of functions lie where they did for the same code. */
static void take_private_places(const struct unit *u, const struct ptx_variables *v, uint32_t index)
{
	const struct session_unit *earlier = find_earlier(u, index);

	if (!earlier || earlier->places.n != v->n)
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct session_place *from =
			session_at(&earlier->places, struct session_place, i);

		if (from->variable || v->items[i].is_managed)
			continue;
		for (int d = 0; d < DEVICES_MAX; d++) {
			const struct session_buffer *b =
				from->address[d] ? ledger_find(from->address[d]) : NULL;

			if (b && b->size == v->items[i].size)
				place_at(index, i)->address[d] = from->address[d];
		}
	}
}

/* While it is loaded the unit has a user more, so that a definition that replaces its own does not
 * end it. */
static int add_unit(const struct unit *u, const struct ptx_variables *v, uint32_t *ret,
		    struct error *err)
{
	struct session_unit *unit = new_unit(ret);

	if (!unit)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	*unit = (struct session_unit){ .cell = u->cell,
				       .users = 1,
				       .source = device.host->session_alloc(u->ptx_len + 1) };
	if (!unit->source)
		return error_set(err, ERROR_MEMORY, "out of session memory");
	memcpy(unit->source, u->ptx, u->ptx_len);
	unit->source[u->ptx_len] = '\0';
	for (size_t i = 0; i < v->n; i++)
		if (!session_append(&unit->places, struct session_place))
			return error_set(err, ERROR_MEMORY, "out of session memory");
	take_private_places(u, v, *ret);
	for (size_t i = 0; i < v->n; i++) {
		if (v->items[i].in_module) {
			bool kept;

			unit_at(*ret)->holds_code = true;
			if (v->items[i].is_visible && !claim_variable(&v->items[i], *ret, &kept))
				return error_set(err, ERROR_MEMORY, "out of session memory");
			continue;
		}
		if (v->items[i].is_extern ? claim_extern(&v->items[i], *ret, i, err)
					  : claim_definition(&v->items[i], *ret, i, err))
			return -1;
	}
	return 0;
}

static int add_kernels(const struct unit *u, uint32_t index, struct error *err)
{
	if (!u->n_kernels)
		return 0;
	if (load_module(unit_at(index), err)) {
		/* When a later cell defines the function, the kernel is compiled anew; until then a
		 * launch is refused. */
		if (err->code != ERROR_NOT_FOUND)
			return -1;
		*err = (struct error)ERROR_INIT;
	}
	for (size_t i = 0; i < u->n_kernels; i++)
		if (add_kernel(&u->kernels[i], index, err))
			return -1;
	return 0;
}

int device_code_load(const struct unit *u, struct error *err)
{
	struct ptx_variables v;
	uint32_t index;
	int ret = -1;

	ptx_variables_init(&v);
	if (!ptx_variables_scan(&v, u->ptx, u->ptx_len, err) && !add_unit(u, &v, &index, err) &&
	    !fill_scanned(&v, index, err) && !add_kernels(u, index, err))
		ret = 0;
	ptx_variables_release(&v);
	if (!ret)
		leave_unit(index);
	return ret;
}

int device_code_load_registered(const struct unit *u, const struct device_code_names *names,
				struct error *err)
{
	int failed;

	registered = names;
	failed = device_code_load(u, err);
	registered = NULL;
	return failed;
}

CUresult device_code_function(struct session_kernel *kernel, CUfunction *ret)
{
	uint32_t at =
		(uint32_t)(kernel - session_at(&device.session->kernels, struct session_kernel, 0));
	int d = device_current();
	struct error err = ERROR_INIT;
	CUresult result;

	if (fill_unit(kernel->unit, &err)) {
		log_error("device code: %s", err.text);
		return err.code == ERROR_MEMORY || err.code == ERROR_LIMIT
			       ? CUDA_ERROR_OUT_OF_MEMORY
			       : CUDA_ERROR_UNKNOWN;
	}
	kernel = session_at(&device.session->kernels, struct session_kernel, at);
	result = need_module(unit_at(kernel->unit));
	if (result)
		return result;
	if (kernel->on[d].epoch != device.epoch) {
		result = device.driver->cuModuleGetFunction(&kernel->on[d].function,
							    unit_at(kernel->unit)->on[d].module,
							    kernel->ptx_name);
		if (!result && kernel->dynamic_shared >= 0)
			result = device.driver->cuFuncSetAttribute(
				kernel->on[d].function,
				CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				kernel->dynamic_shared);
		if (!result &&
		    device.driver->cuFuncGetAttribute(&kernel->on[d].threads,
						      CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
						      kernel->on[d].function))
			kernel->on[d].threads = INT_MAX;
		if (!result) {
			kernel->on[d].epoch = device.epoch;
			kernel->on[d].writes = NULL;
		}
	}
	*ret = kernel->on[d].function;
	return device_note(result);
}

const struct ptx_writes *device_code_writes(struct session_kernel *kernel)
{
	int d = device_current();
	const struct session_unit *u = unit_at(kernel->unit);
	const char *text = u->on[d].text ? u->on[d].text : u->source;
	struct error err = ERROR_INIT;
	struct ptx_writes *w;

	if (kernel->on[d].epoch == device.epoch && kernel->on[d].writes)
		return kernel->on[d].writes;
	w = malloc(sizeof(*w));
	if (!w)
		return NULL;
	if (ptx_writes_read(w, text, strlen(text), kernel->ptx_name, &err))
		log_error("device code: %s", err.text);
	else if (w->all)
		log_debug("device code: %s may write to any buffer: %s", kernel->ptx_name, w->why);
	kernel->on[d].writes = w;
	return w;
}

static void forget_kernel(struct session_kernel *kernel)
{
	forget_functions(kernel);
	leave_unit(kernel->unit);
	device.host->session_free(kernel->name);
	device.host->session_free(kernel->ptx_name);
	session_remove(&device.session->kernels, sizeof(*kernel),
		       (uint32_t)(kernel -
				  session_at(&device.session->kernels, struct session_kernel, 0)));
}

/* Units know variables by their places in the table, so an empty one stays there. */
static void forget_variable(struct session_variable *v)
{
	leave_unit(v->unit);
	for (int d = 0; d < DEVICES_MAX; d++) {
		struct session_buffer *b = v->address[d] ? ledger_find(v->address[d]) : NULL;

		if (b && b->kind != BUFFER_MANAGED)
			ledger_free(b);
		v->address[d] = 0;
	}
	v->stand_in = NULL;
	v->size = 0;
}

void device_code_forget(const void *address)
{
	struct session_kernel *kernel = device_code_kernel_at(address);
	struct session_variable *v = device_code_variable_at(address);

	if (kernel)
		forget_kernel(kernel);
	if (v)
		forget_variable(v);
}
