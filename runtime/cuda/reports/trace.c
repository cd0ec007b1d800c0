/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row is noted when its call returns; its name is looked up then, since the buffer may be gone at
 * the end of the cell. Its events are asked for their times when the cell is over and all is done.
 * The first rows are kept, and a ring of the last; the events of a row that leaves the ring serve
 * the next one.
 */
#include "runtime/cuda/reports/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "common/protocol/device-trace.h"
#include "common/text/demangle.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/session/session.h"

#define ROWS (2 * DEVICE_TRACE_HEAD)
#define NAME_MAX_BYTES 160
#define STREAMS_MAX 256

struct row {
	struct device_trace_row told; /* but for its texts and the times of what has events */
	const char *call;
	char name[NAME_MAX_BYTES], from[NAME_MAX_BYTES];
	int device;
	CUevent begin, end; /* NULL: the host's times are told */
};

/* Events of a device stand in relation to its first one, which was recorded when the host's clock
 * said `at_ns`. */
struct origin {
	CUevent event;
	uint64_t at_ns;
};

static struct {
	_Atomic bool on;
	pthread_mutex_t lock;
	const struct cuda_driver *inner;
	struct cuda_driver wrapped;
	uint64_t start_ns;
	struct row *rows; /* ROWS */
	uint64_t n;       /* of all that came */
	uint64_t counts[TRACE_KINDS], bytes[TRACE_KINDS];
	struct origin origins[DEVICES_MAX];
	CUstream streams[STREAMS_MAX]; /* by number, from 1 */
	uint32_t n_streams;
} trace = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	const char *call; /* that is at work; NULL: none */
	unsigned hidden;  /* trace_hide() without trace_unhide() */
} thread;

void trace_call(const char *call)
{
	thread.call = call;
}

void trace_hide(void)
{
	thread.hidden++;
}

void trace_unhide(void)
{
	thread.hidden--;
}

static bool is_traced(void)
{
	return atomic_load_explicit(&trace.on, memory_order_relaxed) && !thread.hidden;
}

static uint64_t since_start(void)
{
	return clock_now_ns() - trace.start_ns;
}

/* ---- names ---- */

static bool is_default_stream(CUstream s)
{
	return !s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD;
}

static uint32_t stream_number(CUstream s)
{
	uint32_t i = 0;

	if (is_default_stream(s))
		return 0;
	while (i < trace.n_streams && trace.streams[i] != s)
		i++;
	if (i == trace.n_streams && i < STREAMS_MAX)
		trace.streams[trace.n_streams++] = s;
	return i + 1;
}

/* "d_x", "d_x + 400 bytes"; which side it is. */
static enum trace_place describe(uint64_t address, char ret[NAME_MAX_BYTES])
{
	bool freed;
	const struct session_buffer *b = ledger_look(address, &freed);
	const char *name = b && !freed ? session_buffer_name(b) : "";
	uint64_t offset = b ? address - b->address : 0;

	if (!*name && device.host->name_of_pointer) {
		name = device.host->name_of_pointer(address);
		offset = 0;
	}
	if (*name && offset)
		snprintf(ret, NAME_MAX_BYTES, "%s + %" PRIu64 " bytes", name, offset);
	else
		snprintf(ret, NAME_MAX_BYTES, "%s", name);
	return address_in_device(address) ? TRACE_DEVICE_SIDE : TRACE_HOST_SIDE;
}

static void name_buffer(struct row *r, const struct session_buffer *b)
{
	snprintf(r->name, sizeof(r->name), "%s", session_buffer_name(b));
	r->told.bytes = b->size;
	r->told.place = b->kind >= BUFFER_MANAGED ? TRACE_HOST_SIDE : TRACE_DEVICE_SIDE;
}

static void name_kernel(int on, CUfunction f, char ret[NAME_MAX_BYTES])
{
	const struct session_array *a = &device.session->kernels;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_kernel *kernel = session_at(a, struct session_kernel, i);

		if (kernel->on[on].epoch != device.epoch || kernel->on[on].function != f)
			continue;
		demangle(*kernel->name ? kernel->name : kernel->ptx_name, ret, NAME_MAX_BYTES);
		return;
	}
}

/* ---- rows ---- */

static CUevent new_event(void)
{
	CUevent e = NULL;

	return trace.inner->cuEventCreate(&e, CU_EVENT_DEFAULT) ? NULL : e;
}

/* The place of row number i of all, as long as that is kept. */
static struct row *row_at(uint64_t i)
{
	return &trace.rows[i < ROWS ? i
				    : DEVICE_TRACE_HEAD +
					      (i - DEVICE_TRACE_HEAD) % DEVICE_TRACE_HEAD];
}

/* The events of a row that is not kept any more; the lock is held. */
static bool take_used_events(struct row *r)
{
	struct row *old = row_at(trace.n);

	if (trace.n < ROWS || !old->begin || old->device != r->device)
		return false;
	r->begin = old->begin;
	r->end = old->end;
	old->begin = old->end = NULL;
	return true;
}

static void make_origin(int ordinal)
{
	struct origin *o = &trace.origins[ordinal];

	if (o->event)
		return;
	o->event = new_event();
	o->at_ns = since_start();
	if (o->event && trace.inner->cuEventRecord(o->event, NULL)) {
		trace.inner->cuEventDestroy(o->event);
		o->event = NULL;
	}
}

static void destroy_events(struct row *r)
{
	if (r->begin)
		trace.inner->cuEventDestroy(r->begin);
	if (r->end)
		trace.inner->cuEventDestroy(r->end);
	r->begin = r->end = NULL;
}

static struct row begin(enum trace_kind kind)
{
	return (struct row){
		.told = { .kind = kind,
			  .begin_ns = since_start(),
			  .line = device.host->caller_line ? device.host->caller_line() : 0 },
		.call = thread.call ? thread.call : "",
		.device = device_current(),
	};
}

/* The same for the work of a stream. */
static struct row begin_on(enum trace_kind kind, CUstream s)
{
	struct row r = begin(kind);
	bool used;

	pthread_mutex_lock(&trace.lock);
	make_origin(r.device);
	r.told.stream = stream_number(s);
	used = trace.rows && take_used_events(&r);
	pthread_mutex_unlock(&trace.lock);
	if (!used) {
		r.begin = new_event();
		r.end = new_event();
	}
	if (!r.begin || !r.end || trace.inner->cuEventRecord(r.begin, s))
		destroy_events(&r);
	return r;
}

static CUresult note(struct row *r, CUresult result)
{
	struct row *to;

	r->told.error = result ? cuda_error_name(result) : "";
	r->told.end_ns = since_start();
	pthread_mutex_lock(&trace.lock);
	/* A thread may come late. */
	if (!trace.rows) {
		pthread_mutex_unlock(&trace.lock);
		destroy_events(r);
		return result;
	}
	to = row_at(trace.n);
	destroy_events(to);
	*to = *r;
	trace.n++;
	trace.counts[r->told.kind]++;
	if (!result)
		trace.bytes[r->told.kind] += r->told.bytes;
	pthread_mutex_unlock(&trace.lock);
	return result;
}

static CUresult note_on(struct row *r, CUstream s, CUresult result)
{
	if (r->end && trace.inner->cuEventRecord(r->end, s))
		destroy_events(r);
	return note(r, result);
}

void trace_allocation(const struct session_buffer *b)
{
	struct row r;

	if (!is_traced())
		return;
	r = begin(TRACE_ALLOCATION);
	name_buffer(&r, b);
	note(&r, CUDA_SUCCESS);
}

void trace_refusal(const struct ledger_request *l, CUresult why)
{
	struct row r;

	if (!is_traced())
		return;
	r = begin(TRACE_ALLOCATION);
	snprintf(r.name, sizeof(r.name), "%s", l->name ? l->name : "");
	r.told.bytes = l->size;
	r.told.place = TRACE_DEVICE_SIDE;
	note(&r, why);
}

void trace_free(const struct session_buffer *b)
{
	struct row r;

	if (!is_traced())
		return;
	r = begin(TRACE_FREE);
	name_buffer(&r, b);
	note(&r, CUDA_SUCCESS);
}

/* ---- the wrapped calls ---- */

static struct row begin_launch(CUfunction f, const uint32_t grid[3], const uint32_t block[3],
			       unsigned shared, CUstream s)
{
	char name[NAME_MAX_BYTES] = "";
	struct row r;

	/* Before the clock runs: the first name loads a library. */
	name_kernel(device_current(), f, name);
	r = begin_on(TRACE_LAUNCH, s);
	memcpy(r.name, name, sizeof(r.name));
	memcpy(r.told.grid, grid, sizeof(r.told.grid));
	memcpy(r.told.block, block, sizeof(r.told.block));
	r.told.shared = shared;
	return r;
}

static CUresult launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		       unsigned by, unsigned bz, unsigned shared, CUstream s, void **params,
		       void **extra)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params,
						   extra);
	r = begin_launch(f, (uint32_t[3]){ gx, gy, gz }, (uint32_t[3]){ bx, by, bz }, shared, s);
	return note_on(
		&r, s,
		trace.inner->cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, extra));
}

static CUresult launch_cooperative(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				   unsigned by, unsigned bz, unsigned shared, CUstream s,
				   void **params)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, s,
							      params);
	r = begin_launch(f, (uint32_t[3]){ gx, gy, gz }, (uint32_t[3]){ bx, by, bz }, shared, s);
	return note_on(&r, s,
		       trace.inner->cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, s,
							      params));
}

static void describe_copy(struct row *r, uint64_t to, uint64_t from, uint64_t bytes)
{
	r->told.place = describe(to, r->name);
	r->told.from_place = describe(from, r->from);
	r->told.bytes = bytes;
}

static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpy(to, from, size);
	r = begin_on(TRACE_COPY, NULL);
	describe_copy(&r, to, from, size);
	return note_on(&r, NULL, trace.inner->cuMemcpy(to, from, size));
}

static CUresult copy_async(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream s)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpyAsync(to, from, size, s);
	r = begin_on(TRACE_COPY, s);
	describe_copy(&r, to, from, size);
	return note_on(&r, s, trace.inner->cuMemcpyAsync(to, from, size, s));
}

/* One end of a copy of rows. */
static enum trace_place describe_end(CUmemorytype type, CUdeviceptr address, const void *host,
				     CUarray array, char ret[NAME_MAX_BYTES])
{
	ret[0] = '\0';
	if (array && type == CU_MEMORYTYPE_ARRAY)
		return TRACE_ARRAY_SIDE;
	return describe(type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : address, ret);
}

static void describe_rows(struct row *r, const CUDA_MEMCPY3D *c)
{
	r->told.place =
		describe_end(c->dstMemoryType, c->dstDevice, c->dstHost, c->dstArray, r->name);
	r->told.from_place =
		describe_end(c->srcMemoryType, c->srcDevice, c->srcHost, c->srcArray, r->from);
	r->told.bytes = (uint64_t)c->WidthInBytes * c->Height * c->Depth;
}

static CUDA_MEMCPY3D one_layer(const CUDA_MEMCPY2D *c)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1,
	};
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c)
{
	CUDA_MEMCPY3D whole = one_layer(c);
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpy2DUnaligned(c);
	r = begin_on(TRACE_COPY, NULL);
	describe_rows(&r, &whole);
	return note_on(&r, NULL, trace.inner->cuMemcpy2DUnaligned(c));
}

static CUresult copy_2d_async(const CUDA_MEMCPY2D *c, CUstream s)
{
	CUDA_MEMCPY3D whole = one_layer(c);
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpy2DAsync(c, s);
	r = begin_on(TRACE_COPY, s);
	describe_rows(&r, &whole);
	return note_on(&r, s, trace.inner->cuMemcpy2DAsync(c, s));
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpy3D(c);
	r = begin_on(TRACE_COPY, NULL);
	describe_rows(&r, c);
	return note_on(&r, NULL, trace.inner->cuMemcpy3D(c));
}

static CUresult copy_3d_async(const CUDA_MEMCPY3D *c, CUstream s)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuMemcpy3DAsync(c, s);
	r = begin_on(TRACE_COPY, s);
	describe_rows(&r, c);
	return note_on(&r, s, trace.inner->cuMemcpy3DAsync(c, s));
}

/* The fills differ in their parameters only. */
#define FILL(cu, parameters, arguments, size)                                                      \
	static CUresult fill_##cu parameters                                                       \
	{                                                                                          \
		struct row r;                                                                      \
                                                                                                   \
		if (!is_traced())                                                                  \
			return trace.inner->cu arguments;                                          \
		r = begin_on(TRACE_FILL, s);                                                       \
		r.told.place = describe(p, r.name);                                                \
		r.told.bytes = (uint64_t)(size);                                                   \
		return note_on(&r, s, trace.inner->cu arguments);                                  \
	}
FILL(cuMemsetD8Async, (CUdeviceptr p, unsigned char value, size_t n, CUstream s), (p, value, n, s),
     n)
FILL(cuMemsetD2D8Async,
     (CUdeviceptr p, size_t pitch, unsigned char value, size_t width, size_t height, CUstream s),
     (p, pitch, value, width, height, s), width *height)
FILL(cuMemsetD2D16Async,
     (CUdeviceptr p, size_t pitch, unsigned short value, size_t width, size_t height, CUstream s),
     (p, pitch, value, width, height, s), 2 * width * height)
FILL(cuMemsetD2D32Async,
     (CUdeviceptr p, size_t pitch, unsigned int value, size_t width, size_t height, CUstream s),
     (p, pitch, value, width, height, s), 4 * width * height)
#undef FILL

static CUresult host_function(CUstream s, CUhostFn fn, void *data)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuLaunchHostFunc(s, fn, data);
	r = begin_on(TRACE_HOST, s);
	return note_on(&r, s, trace.inner->cuLaunchHostFunc(s, fn, data));
}

static CUresult wait_stream(CUstream s)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuStreamSynchronize(s);
	r = begin(TRACE_WAIT);
	pthread_mutex_lock(&trace.lock);
	r.told.stream = stream_number(s);
	pthread_mutex_unlock(&trace.lock);
	return note(&r, trace.inner->cuStreamSynchronize(s));
}

static CUresult wait_event(CUevent e)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuEventSynchronize(e);
	r = begin(TRACE_WAIT);
	return note(&r, trace.inner->cuEventSynchronize(e));
}

static CUresult wait_device(void)
{
	struct row r;

	if (!is_traced())
		return trace.inner->cuCtxSynchronize();
	r = begin(TRACE_WAIT);
	return note(&r, trace.inner->cuCtxSynchronize());
}

/* ---- begin and end ---- */

static void wrap(void)
{
	trace.wrapped = *trace.inner;
	trace.wrapped.cuLaunchKernel = launch;
	trace.wrapped.cuLaunchCooperativeKernel = launch_cooperative;
	trace.wrapped.cuMemcpy = copy;
	trace.wrapped.cuMemcpyAsync = copy_async;
	trace.wrapped.cuMemcpy2DUnaligned = copy_2d;
	trace.wrapped.cuMemcpy2DAsync = copy_2d_async;
	trace.wrapped.cuMemcpy3D = copy_3d;
	trace.wrapped.cuMemcpy3DAsync = copy_3d_async;
	trace.wrapped.cuMemsetD8Async = fill_cuMemsetD8Async;
	trace.wrapped.cuMemsetD2D8Async = fill_cuMemsetD2D8Async;
	trace.wrapped.cuMemsetD2D16Async = fill_cuMemsetD2D16Async;
	trace.wrapped.cuMemsetD2D32Async = fill_cuMemsetD2D32Async;
	trace.wrapped.cuLaunchHostFunc = host_function;
	trace.wrapped.cuStreamSynchronize = wait_stream;
	trace.wrapped.cuEventSynchronize = wait_event;
	trace.wrapped.cuCtxSynchronize = wait_device;
}

int trace_begin(struct error *err)
{
	if (!device.usable)
		return error_set(err, ERROR_STATE, "%s", device.info.problem);
	device.host->enter_library();
	trace.rows = calloc(ROWS, sizeof(*trace.rows));
	device.host->leave_library();
	if (!trace.rows)
		return error_set(err, ERROR_MEMORY, "out of memory for a trace");
	trace.n = 0;
	memset(trace.counts, 0, sizeof(trace.counts));
	memset(trace.bytes, 0, sizeof(trace.bytes));
	memset(trace.origins, 0, sizeof(trace.origins));
	trace.n_streams = 0;
	/* A thread of an earlier cell may still use the table, so it stays the same one. */
	if (!trace.inner) {
		trace.inner = device.driver;
		wrap();
	}
	trace.start_ns = clock_now_ns();
	device.driver = &trace.wrapped;
	atomic_store(&trace.on, true);
	return 0;
}

void trace_stop(void)
{
	if (!atomic_exchange(&trace.on, false))
		return;
	device.driver = trace.inner;
}

static bool elapsed(CUevent from, CUevent to, uint64_t *ret_ns)
{
	float ms;

	if (trace.inner->cuEventElapsedTime(&ms, from, to))
		return false;
	*ret_ns = ms > 0 ? (uint64_t)((double)ms * 1e6) : 0;
	return true;
}

/* Times of the device in place of those of the host. */
static void time_row(struct row *r)
{
	const struct origin *o = &trace.origins[r->device];
	bool waits = r->told.kind == TRACE_WAIT || r->told.kind == TRACE_ALLOCATION ||
		     r->told.kind == TRACE_FREE;
	uint64_t from, took;

	r->told.timed = waits;
	if (!r->begin || !o->event || device_switch(r->device) ||
	    !elapsed(o->event, r->begin, &from) || !elapsed(r->begin, r->end, &took))
		return;
	r->told.begin_ns = o->at_ns + from;
	r->told.end_ns = r->told.begin_ns + took;
	r->told.timed = true;
}

static void collect(struct buffer *ret)
{
	struct device_trace t = { .emulated = trace.inner->extension,
				  .n_rows = trace.n < ROWS ? trace.n : ROWS };
	struct device_trace_row rows[ROWS];

	t.rows = rows;
	t.left_out = trace.n - t.n_rows;
	memcpy(t.counts, trace.counts, sizeof(t.counts));
	memcpy(t.bytes, trace.bytes, sizeof(t.bytes));
	for (size_t i = 0; i < t.n_rows; i++) {
		struct row *r = row_at(i < DEVICE_TRACE_HEAD ? i : i + t.left_out);

		time_row(r);
		rows[i] = r->told;
		rows[i].call = r->call;
		rows[i].name = r->name;
		rows[i].from = r->from;
	}
	device_trace_encode(&t, ret);
}

int trace_take(struct buffer *ret, struct error *err)
{
	int before = device_current();

	if (!trace.rows)
		return error_set(err, ERROR_STATE, "nothing of the cell was run");
	device.host->enter_library();
	pthread_mutex_lock(&trace.lock);
	collect(ret);
	for (size_t i = 0; i < ROWS; i++)
		destroy_events(&trace.rows[i]);
	for (int i = 0; i < DEVICES_MAX; i++)
		if (trace.origins[i].event)
			trace.inner->cuEventDestroy(trace.origins[i].event);
	device_switch(before);
	free(trace.rows);
	trace.rows = NULL;
	pthread_mutex_unlock(&trace.lock);
	device.host->leave_library();
	return buffer_check(ret, err);
}
