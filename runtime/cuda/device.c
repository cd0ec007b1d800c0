/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of the CUDA side in a worker: choose a driver, take over a session, begin and end cells.
 */
#include "runtime/cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/address-map.h"
#include "common/buffer.h"
#include "common/error.h"
#include "common/record.h"
#include "common/unit.h"
#include "common/worker-protocol.h"
#include "runtime/cuda/cudart.h"
#include "runtime/cuda/device-code.h"
#include "runtime/cuda/device-state.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/images.h"
#include "runtime/cuda/ledger.h"
#include "runtime/cuda/peers.h"
#include "runtime/cuda/preimage.h"
#include "runtime/cuda/source-text.h"
#include "runtime/cuda/vmm-pool.h"
#include "runtime/session-layout.h"

struct device device = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct cuda_driver chosen;
static pthread_t cell_thread;
static _Thread_local int current;      /* device of the thread */
static _Thread_local CUcontext entered; /* that the driver has for the thread */

bool device_is_sticky(CUresult r)
{
	switch (r) {
	case CUDA_ERROR_CONTAINED:
	case CUDA_ERROR_ECC_UNCORRECTABLE:
	case CUDA_ERROR_NVLINK_UNCORRECTABLE:
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_TENSOR_MEMORY_LEAK:
	case CUDA_ERROR_MPS_CLIENT_TERMINATED:
	case CUDA_ERROR_EXTERNAL_DEVICE:
	case CUDA_ERROR_UNKNOWN:
		return true;
	default:
		return false;
	}
}

CUresult device_note(CUresult result)
{
	if (device_is_sticky(result) && !device.sticky)
		device.sticky = (int)result;
	return result;
}

/* A context takes memory and time, so a device has none before it is used. */
static CUresult retain(int ordinal)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	CUresult result = CUDA_SUCCESS;

	if (device.contexts[ordinal])
		return CUDA_SUCCESS;
	pthread_mutex_lock(&lock);
	if (!device.contexts[ordinal])
		result = device.driver->cuDevicePrimaryCtxRetain(&device.contexts[ordinal], ordinal);
	pthread_mutex_unlock(&lock);
	return result;
}

CUresult device_enter(void)
{
	CUresult result = retain(current);

	if (!result && entered != device.contexts[current])
		result = device.driver->cuCtxSetCurrent(device.contexts[current]);
	if (!result)
		entered = device.contexts[current];
	return result;
}

int device_current(void)
{
	return current;
}

CUresult device_switch(int ordinal)
{
	current = ordinal;
	return device_enter();
}

void device_lock(void)
{
	if (device.host->enter_tables)
		device.host->enter_tables();
	pthread_mutex_lock(&device.lock);
}

void device_unlock(void)
{
	pthread_mutex_unlock(&device.lock);
	if (device.host->leave_tables)
		device.host->leave_tables();
}

void device_print(bool to_stderr, const char *text, size_t len)
{
	if (device.host->print)
		device.host->print(to_stderr, text, len);
	else
		fwrite(text, 1, len, to_stderr ? stderr : stdout);
}

static void print(void *data, int to_stderr, const char *text, size_t len)
{
	(void)data;
	device.host->print(to_stderr, text, len);
}

/* libcgpu-emulator.so lies beside the worker; CGPU_EMULATOR names another one. */
static const char *emulator_path(void)
{
	static char path[4096];
	const char *given = getenv("CGPU_EMULATOR");
	ssize_t n;
	char *slash;

	if (given)
		return given;
	n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("libcgpu-emulator.so"));
	if (n <= 0)
		return "libcgpu-emulator.so";
	path[n] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "libcgpu-emulator.so");
	return path;
}

/* Load and initialise a driver with at least one device. */
static int try_driver(const char *path, struct error *err)
{
	const char *name = "";
	CUresult result;
	int count = 0;

	if (driver_open(path, &chosen, err))
		return -1;
	result = chosen.cuInit(0);
	if (!result)
		result = chosen.cuDeviceGetCount(&count);
	if (!result && !count)
		result = CUDA_ERROR_NO_DEVICE;
	if (!result)
		return 0;
	chosen.cuGetErrorString(result, &name);
	return error_set(err, ERROR_UNSUPPORTED, "%s cannot be initialised: %s (%d)", path, name, (int)result);
}

static int choose(struct error *err)
{
	const char *want = getenv("CGPU_DEVICE");
	bool native_only = want && !strcmp(want, "native");

	if (want && !native_only && strcmp(want, "emulated"))
		return error_set(err, ERROR_INPUT, "CGPU_DEVICE is \"%s\"; it can be \"native\" or \"emulated\"", want);
	if (!want || native_only) {
		if (!try_driver("libcuda.so.1", native_only ? err : NULL))
			return 0;
		if (native_only)
			return -1;
	}
	return try_driver(emulator_path(), err);
}

static CUresult make_ready(void)
{
	CUresult result = device_enter();

	if (!result)
		result = vmm_pool_init();
	return result;
}

static void describe(struct device_info *info)
{
	size_t total;

	device.driver->cuDeviceGetCount(&device.count);
	if (device.count > SESSION_DEVICES_MAX)
		device.count = SESSION_DEVICES_MAX;
	device.driver->cuDeviceGetName(info->name, sizeof(info->name), 0);
	device.driver->cuDriverGetVersion(&info->driver_version);
	info->devices = device.count;
	for (int i = 0; i < device.count; i++) {
		if (!device.driver->cuDeviceTotalMem(&total, i))
			info->memory += total;
		device.driver->cuDeviceGetUuid((CUuuid *)info->uuids[i], i);
	}
	info->emulated = device.driver->extension;
}

static void use_extension(void)
{
	if (device.host->print)
		device.driver->extension->set_print(print, NULL);
	device.driver->extension->set_source(source_text_line, NULL);
	if (device.host->thread_count)
		device.driver->extension->set_threads(device.host->thread_count, device.host->hold_thread,
						      device.host->release_thread);
}

int device_init(const struct device_host *host, struct device_info *ret_info, struct error *err)
{
	struct error why = ERROR_INIT;
	const char *text = "";
	CUresult result;

	(void)err;
	device.host = host;
	device.driver = &chosen;
	if (choose(&why)) {
		snprintf(device.info.problem, sizeof(device.info.problem), "%.*s",
			 (int)sizeof(device.info.problem) - 1, why.text);
		*ret_info = device.info;
		return 0;
	}
	if (getenv("CGPU_TRACE_DRIVER"))
		device.driver = driver_trace(&chosen);
	describe(&device.info);
	result = make_ready();
	if (result) {
		device.driver->cuGetErrorString(result, &text);
		snprintf(device.info.problem, sizeof(device.info.problem),
			 "the device cannot be used: %s (%d). Is it used exclusively by another process, or full?", text,
			 (int)result);
	} else {
		device.usable = true;
		if (device.driver->extension)
			use_extension();
	}
	*ret_info = device.info;
	return 0;
}

/* Whether threads of the driver may begin what streams hold. */
static void let_driver_work(bool on)
{
	if (device.driver->extension)
		device.driver->extension->pause(!on);
}

/* A cap above what the device has is no cap. */
void device_set_limit(uint64_t limit)
{
	device.limit = limit && limit < device.info.memory ? limit : device.info.memory;
}

int device_attach(uint32_t epoch, uint64_t limit, bool refill, struct error *err)
{
	device.refill = refill;
	device.epoch = epoch;
	device_set_limit(limit);
	device.session = session_open();
	if (!device.session)
		return error_set(err, ERROR_MEMORY, "no session memory for the CUDA tables");
	return 0;
}

int device_attach_chunk(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err)
{
	if (device.usable)
		return vmm_pool_attach(id, size, address, fd, err);
	close(fd);
	return 0;
}

int device_attach_preimage(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset, struct error *err)
{
	return device.usable ? preimage_restore(address, size, chunk, offset, err) : 0;
}

static void report_lost(void *data, uint64_t address, uint64_t size)
{
	if (device.refill)
		return;
	for (uint32_t i = 0; i < device.session->buffers.n; i++) {
		const struct session_buffer *b = session_at(&device.session->buffers, struct session_buffer, i);

		if (b->address - address < size)
			buffer_printf(data, "the content of device buffer `%s` (cell %u, %llu bytes at 0x%llx) is lost\n",
				      ledger_name(b), b->cell, (unsigned long long)b->size,
				      (unsigned long long)b->address);
	}
}

int device_attach_end(struct buffer *report, struct error *err)
{
	const struct session_array *a = &device.session->buffers;

	(void)err;
	if (!device.usable) {
		if (a->n)
			buffer_printf(report, "%u device buffers cannot be reached: %s\n", a->n, device.info.problem);
		return 0;
	}
	device_lock();
	for (uint32_t i = 0; i < device.session->limits.n; i++) {
		const struct session_limit *l = session_at(&device.session->limits, struct session_limit, i);

		if (l->device >= device.count || device_switch(l->device) ||
		    device.driver->cuCtxSetLimit(l->limit, l->value))
			buffer_printf(report, "limit %d of the device is not %llu any more\n", (int)l->limit,
				      (unsigned long long)l->value);
	}
	device_switch(0);
	if (peers_reopen())
		buffer_puts(report, "not all devices reach the memory of each other any more\n");
	vmm_pool_attach_end(report_lost, report);
	for (uint32_t i = 0; i < a->n; i++) {
		struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->kind >= BUFFER_MANAGED &&
		    device.driver->cuMemHostRegister((void *)(uintptr_t)b->address, b->size, 0))
			buffer_printf(report, "host memory `%s` at 0x%llx is not registered with the device any more\n",
				      ledger_name(b), (unsigned long long)b->address);
		ledger_annotate(b);
	}
	preimage_reset();
	device_unlock();
	return 0;
}

static int copy(CUdeviceptr to, CUdeviceptr from, size_t size, struct error *err)
{
	CUresult result = CUDA_ERROR_NOT_INITIALIZED;

	if (!device.usable)
		return error_set(err, ERROR_UNSUPPORTED, "device memory cannot be reached: %s", device.info.problem);
	device.host->enter_library();
	result = device_enter();
	if (!result)
		result = device_note(device.driver->cuMemcpy(to, from, size));
	device.host->leave_library();
	return result ? error_set(err, ERROR_SYSTEM, "device memory cannot be copied: driver error %d", (int)result) : 0;
}

int device_read(uint64_t address, void *ret, size_t size, struct error *err)
{
	const struct emulator_extension *x = device.driver ? device.driver->extension : NULL;
	int rc;

	if (x)
		x->quiet(1);
	rc = copy((uintptr_t)ret, address, size, err);
	if (x)
		x->quiet(0);
	return rc;
}

int device_write(uint64_t address, const void *bytes, size_t size, struct error *err)
{
	return copy(address, (uintptr_t)bytes, size, err);
}

void device_check(uint32_t what)
{
	device.checks = what;
}

void device_cell_begin(uint32_t cell)
{
	device.cell = cell;
	if (device.driver && device.driver->extension)
		device.driver->extension->begin();
	if (device.usable)
		let_driver_work(true);
	if (device.usable && device.driver->extension)
		device.driver->extension->check_begin(device.checks);
	device.checks = 0;
	if (device.session) {
		device.session->serial++;
		current = device.session->current_device < device.count ? device.session->current_device : 0;
	}
	cell_thread = pthread_self();
	preimage_reset();
	ledger_cell_begin();
	cudart_cell_begin();
}

void device_cell_text(const char *text)
{
	source_text_begin(device.cell, text);
}

void device_choose(int ordinal)
{
	current = ordinal;
	if (pthread_equal(pthread_self(), cell_thread))
		device.session->current_device = ordinal;
}

int device_load(const struct unit *u, struct error *err)
{
	int ret;

	if (device.usable && device.session) {
		device_lock();
		source_text_keep_of(u);
		device_unlock();
	}
	if (!u->ptx_len)
		return 0;
	if (!device.usable)
		return error_set(err, ERROR_UNSUPPORTED, "this cell has device code, but %s", device.info.problem);
	device.host->enter_library();
	device_lock();
	ret = device_enter() ? error_set(err, ERROR_SYSTEM, "the CUDA context is gone") : device_code_load(u, err);
	device_unlock();
	device.host->leave_library();
	return ret;
}

/*
 * Poll a real device first: a blocking synchronise would never come back from an entry that never ends, and could not be
 * left. The emulated one runs what is left in this call.
 */
static CUresult wait_idle(void)
{
	struct timespec pause = { 0, 20000 };
	CUresult result = CUDA_SUCCESS;

	int before = current;

	device.host->enter_device();
	while (!device.driver->extension && (result = handles_query_all()) == CUDA_ERROR_NOT_READY) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec *= 2;
	}
	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i] && !(result = device_switch(i)))
			result = device.driver->cuCtxSynchronize();
	device_switch(before);
	device.host->leave_device();
	return device_note(result);
}

/* The C name of an entry whose PTX name is known. */
static const char *entry_name(const char *ptx_name)
{
	const struct session_array *a = &device.session->entries;

	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(session_at(a, struct session_entry, i)->ptx_name, ptx_name) &&
		    *session_at(a, struct session_entry, i)->name)
			return session_at(a, struct session_entry, i)->name;
	return ptx_name;
}

/* Of C++ entries at file scope only the name; those in namespaces stay mangled. */
static void put_entry_name(const char *ptx_name, struct buffer *out)
{
	const char *name = entry_name(ptx_name);
	size_t prefix = !strncmp(name, "_ZL", 3) ? 3 : 2; /* L: static */
	char *end;
	unsigned long n = strncmp(name, "_Z", 2) ? 0 : strtoul(name + prefix, &end, 10);

	if (n && n <= strlen(end))
		buffer_append(out, end, n);
	else
		buffer_puts(out, name);
}

static void fill_fault(struct fault_record *f, CUresult code)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct emulator_fault report;
	const char *name = cudaGetErrorName((cudaError_t)code);

	snprintf(f->ename, sizeof(f->ename), "Cuda%s", strncmp(name, "cudaError", 9) ? name : name + 9);
	buffer_printf(&text, "%s: %s", name, cudart_error_text((cudaError_t)code));
	if (device.driver->extension && device.driver->extension->last_fault(&report)) {
		if (report.entry[0]) {
			buffer_puts(&text, ", in the CUDA kernel ");
			put_entry_name(report.entry, &text);
		}
		if (report.line)
			buffer_printf(&text, ", line %u of %s", report.line, report.file);
		buffer_printf(&text, "\n%s", report.text);
	} else {
		buffer_puts(&text, "\n");
	}
	if (ledger_refusal()[0])
		buffer_printf(&text, "Before that, %s", ledger_refusal());
	snprintf(f->text, sizeof(f->text), "%s", buffer_text(&text));
	f->kind = FAULT_CUDA;
}

static void fill_refusal(struct fault_record *f)
{
	snprintf(f->ename, sizeof(f->ename), "CudaOutOfMemory");
	snprintf(f->text, sizeof(f->text), "%s", ledger_refusal());
	f->kind = FAULT_CUDA_OUT_OF_MEMORY;
}

/* What this cell has done to the device becomes the session's; device.lock is held. */
static void settle(void)
{
	ledger_settle();
	vmm_pool_settle();
	vmm_pool_drop_scratch();
	preimage_reset();
	/* A thread of the cell may have given the device something new to do: that is for the time after the commit. */
	let_driver_work(false);
}

int device_checkpoint_begin(void)
{
	if (!device.usable || !device.session)
		return 0;
	if (!device.sticky && !device_enter())
		wait_idle();
	if (device.sticky)
		return -1;
	device_lock();
	device_note(images_settle());
	if (!device.sticky)
		settle();
	device_unlock();
	return device.sticky ? -1 : 0;
}

void device_checkpoint_end(void)
{
	if (!device.session)
		return;
	device_lock();
	device.session->serial++;
	device_unlock();
}

int device_cell_end(struct buffer *warnings, struct fault_record *fault)
{
	CUresult result = CUDA_SUCCESS;
	int ret = 0;

	if (!device.usable || !device.session) {
		cudart_warnings(warnings);
		return 0;
	}
	device.host->enter_library();
	if (!device.sticky && !device_enter())
		wait_idle();
	if (device.driver->extension)
		device.driver->extension->check_end();
	device_lock();
	if (!device.sticky)
		result = device_note(images_settle());
	if (result || device.sticky) {
		fill_fault(fault, result ? result : (CUresult)device.sticky);
		ret = -1;
	} else if (ledger_refusal_unchecked()) {
		fill_refusal(fault);
		ret = -1;
	} else {
		cudart_warnings(warnings);
		settle();
	}
	device_unlock();
	device.host->leave_library();
	return ret;
}

void device_cell_committed(void)
{
	if (!device.usable)
		return;
	device.host->enter_library();
	device_lock();
	vmm_pool_committed();
	let_driver_work(true);
	device_unlock();
	device.host->leave_library();
}

bool device_describe(uint64_t address, struct address_description *ret)
{
	const struct session_buffer *b;
	bool freed;

	if (!address_in_device(address))
		return false;
	b = ledger_look(address, &freed);
	*ret = (struct address_description){ .owner = freed ? OWNER_DEVICE_FREED : OWNER_DEVICE };
	if (!b)
		return true;
	ret->cell = b->cell;
	ret->freed_cell = b->freed;
	ret->base = b->address;
	ret->size = b->size;
	memcpy(ret->name, b->name, sizeof(b->name));
	return true;
}

uint32_t device_buffers(struct device_buffer *ret, uint32_t max)
{
	const struct session_array *a = &device.session->buffers;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n && n < max; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->kind == BUFFER_MALLOC)
			ret[n++] = (struct device_buffer){ b->address, b->size, b->cell, b->line };
	}
	return n;
}

void device_each_host_block(void (*fn)(void *data, uint64_t address, uint64_t size), void *data)
{
	const struct session_array *a = &device.session->buffers;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->kind >= BUFFER_MANAGED)
			fn(data, b->address, b->size);
	}
}

static void report_device(int ordinal, struct buffer *out)
{
	const struct session_array *a = &device.session->buffers;
	size_t total = 0;
	uint64_t used = 0;
	char name[128] = "", id[32] = "";

	device.driver->cuDeviceGetName(name, sizeof(name), ordinal);
	device.driver->cuDeviceGetPCIBusId(id, sizeof(id), ordinal);
	device.driver->cuDeviceTotalMem(&total, ordinal);
	for (uint32_t i = 0; i < a->n; i++)
		if (session_at(a, struct session_buffer, i)->device == ordinal)
			used += session_at(a, struct session_buffer, i)->charged;
	record_put_str(out, name);
	record_put_str(out, id);
	record_put_u64(out, total);
	record_put_u64(out, used);
}

void device_report(struct buffer *out)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t used = device.session->charged, total = device.info.memory, largest = 0;
	int before = current;
	uint32_t n = 0;

	for (int i = 0; i < device.count; i++) {
		size_t free_bytes, own;

		/* One that nobody has used is not woken up for this. */
		if (device.usable && device.contexts[i] && !device_switch(i) &&
		    !device.driver->cuMemGetInfo(&free_bytes, &own) && free_bytes > largest)
			largest = free_bytes;
	}
	device_switch(before);
	if (device.limit && (used > device.limit || device.limit - used < largest))
		largest = used > device.limit ? 0 : device.limit - used;
	record_put_str(out, device.info.name);
	record_put_u64(out, total);
	record_put_u64(out, used);
	record_put_u64(out, device.limit);
	record_put_u64(out, largest);
	for (uint32_t i = 0; i < a->n; i++)
		n += !session_at(a, struct session_buffer, i)->dead;
	record_put_u32(out, n);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->dead)
			continue;
		record_put_u64(out, b->address);
		record_put_u64(out, b->size);
		record_put_u32(out, b->cell);
		record_put_str(out, ledger_name(b));
		record_put_str(out, ledger_kind_name(b->kind));
		record_put_u32(out, b->device);
	}
	record_put_u32(out, (uint32_t)device.count);
	for (int i = 0; i < device.count; i++)
		report_device(i, out);
}

const char *device_refusal(void)
{
	return ledger_refusal();
}

void device_stop(void)
{
	if (device.driver && device.driver->extension)
		device.driver->extension->stop(1);
}

uint64_t device_layout(void)
{
	static const uint64_t sizes[] = {
		offsetof(struct session, chunks), offsetof(struct session, events),
		sizeof(struct session_chunk), sizeof(struct session_buffer), offsetof(struct session_buffer, kind),
		sizeof(struct session), sizeof(struct session_place), sizeof(struct session_unit),
		sizeof(struct session_entry), sizeof(struct session_variable),
		offsetof(struct session_variable, address), sizeof(struct session_stream), sizeof(struct session_event),
		offsetof(struct session, images_epoch), sizeof(struct session_image), sizeof(struct session_mipmap),
		sizeof(struct session_object), sizeof(struct session_pool),
		sizeof(struct session_node), sizeof(struct session_graph), sizeof(struct session_limit),
		sizeof(struct session_source),
	};

	return layout_hash(0, sizes, sizeof(sizes) / sizeof(sizes[0]));
}
