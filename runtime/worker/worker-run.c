/* SPDX-License-Identifier: Apache-2.0 */
/* See runtime/worker/worker-run.h. The order of a cell: load, run on the cell stack, flush, settle
 * the device, report. */
#define _GNU_SOURCE
#include "runtime/worker/worker-run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/code/unit.h"
#include "common/protocol/buffer-checksum.h"
#include "common/protocol/ipc.h"
#include "common/protocol/run-options.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/cuda/device.h"
#include "runtime/debugger/cell-stop.h"
#include "runtime/exports/at-exit.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/damage-report.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/faults/leak-report.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/memcheck/memcheck-libc.h"
#include "runtime/memcheck/memcheck.h"
#include "runtime/process/children.h"
#include "runtime/process/commit.h"
#include "runtime/process/tracked.h"
#include "runtime/process/worker.h"
#include "runtime/widgets/comm-deliver.h"
#include "runtime/worker/worker-eviction.h"

#define HOLDERS_SHOWN 5

static void on_misuse(const char *text, const void *p)
{
	host_fault_raise_at(FAULT_HEAP_MISUSE, (uint64_t)(uintptr_t)p, "%s", text);
}

static void put_size(char *out, size_t len, uint64_t bytes)
{
	if (bytes >= GIB)
		snprintf(out, len, "%.2f GiB", (double)bytes / (double)GIB);
	else if (bytes >= MIB)
		snprintf(out, len, "%.1f MiB", (double)bytes / (double)MIB);
	else
		snprintf(out, len, "%" PRIu64 " bytes", bytes);
}

static size_t put_holders(char *text, size_t len)
{
	struct allocator_holder holders[HOLDERS_SHOWN];
	unsigned n = allocator_holders(holders, HOLDERS_SHOWN);
	size_t at = 0;

	for (unsigned i = 0; i < n && at < len; i++) {
		const struct symbol *s = symbols_pointing_to(holders[i].largest);
		char bytes[32], largest[32];

		put_size(bytes, sizeof(bytes), holders[i].bytes);
		put_size(largest, sizeof(largest), holders[i].largest_size);
		at += (size_t)snprintf(text + at, len - at,
				       "\n  cell %u holds %s in %" PRIu64
				       " block%s, the largest %s%s%s",
				       holders[i].cell, bytes, holders[i].blocks,
				       holders[i].blocks == 1 ? "" : "s", largest, s ? " in " : "",
				       s ? s->name : "");
	}
	return at;
}

static void on_out_of_memory(uint64_t asked, uint64_t used, uint64_t limit)
{
	char text[FAULT_TEXT_MAX / 2] = "", a[32], u[32], l[32];

	if (worker.is_child)
		return; /* malloc() gives NULL there */
	put_size(a, sizeof(a), asked);
	put_size(u, sizeof(u), used);
	put_size(l, sizeof(l), limit);
	put_holders(text, sizeof(text));
	if (limit)
		host_fault_raise(FAULT_OUT_OF_MEMORY,
				 "%s asked, %s in use, the limit is %s. free() what is not needed, "
				 "or raise the limit with %%limit ram SIZE.%s",
				 a, u, l, text);
	host_fault_raise(FAULT_OUT_OF_MEMORY,
			 "%s asked, %s in use: linux has no more memory for the session.%s", a, u,
			 text);
}

static const struct allocator_hooks hooks = { on_misuse, on_out_of_memory,
					      backtrace_allocation_site };

static int take_session(struct buffer *lost, struct error *err)
{
	if (arena_attach(WORKER_ARENA_FD, WORKER_LIVE_FD, err) || allocator_attach(&hooks, err) ||
	    loader_attach(exports_find, lost, err))
		return -1;
	tracked_report_lost(lost);
	return 0;
}

static int take_chunk(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint64_t id = record_u64(&r), size = record_u64(&r), address = record_u64(&r);

	if (record_check(&r, "WORKER_CHUNK", err))
		return -1;
	if (m->n_fds != 1)
		return error_set(err, ERROR_PROTOCOL, "WORKER_CHUNK came without its descriptor");
	return device_attach_chunk(id, size, address, steal_fd((int *)&m->fds[0]), err);
}

/* The chunks that follow WORKER_ATTACH. */
static int take_chunks(struct error *err)
{
	for (;;) {
		struct ipc_message m;
		bool end;
		int r;

		if (worker_receive(&m, -1, err) < 0)
			return -1;
		end = m.type == WORKER_ATTACH_END;
		if (end)
			r = 0;
		else if (m.type == WORKER_CHUNK)
			r = take_chunk(&m, err);
		else if (m.type == WORKER_EVICTION_FILE)
			r = worker_eviction_file(&m, err);
		else if (m.type == WORKER_CHUNK_PARKED)
			r = worker_eviction_return(&m, err);
		else
			r = error_set(err, ERROR_PROTOCOL, "message %u while a session is attached",
				      m.type);
		ipc_message_release(&m);
		if (r || end)
			return r;
	}
}

/* Keeps what the pre-images will overwrite. False: some of it could not be kept. */
static bool keep_overwritten(struct record *r)
{
	uint32_t n = record_count(r, 16);
	bool kept = true;

	while (n--) {
		uint64_t address = record_u64(r), size = record_u64(r);

		kept = kept && !r->failed && device_attach_keep(address, size);
	}
	return kept;
}

static int restore_preimages(struct record *r, struct error *err)
{
	uint32_t n = record_count(r, 32);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = record_u64(r), size = record_u64(r), chunk = record_u64(r),
			 offset = record_u64(r);

		if (r->failed || device_attach_preimage(address, size, chunk, offset, err))
			return -1;
	}
	return 0;
}

static void take_checksums(struct record *r)
{
	uint32_t n = record_count(r, BUFFER_CHECKSUM_SIZE);

	while (n--) {
		struct buffer_checksum c = buffer_checksum_take(r);

		device_attach_checksum(&c);
	}
}

static void take_needed(struct record *r, struct device_attachment *ret)
{
	for (uint32_t n = record_count(r, 4 + DEVICE_UUID_SIZE); n--;) {
		uint32_t device = record_u32(r);
		size_t len;
		const void *uuid = record_bytes(r, &len);

		if (r->failed || device >= CHUNK_DEVICES_MAX || len != DEVICE_UUID_SIZE)
			continue;
		ret->needed |= 1u << device;
		memcpy(ret->uuids[device], uuid, DEVICE_UUID_SIZE);
	}
}

static int attach(const struct ipc_message *first, struct buffer *lost, bool *ret_kept,
		  struct error *err)
{
	struct record r = record_open(first->data, first->len);
	struct device_attachment how = { .epoch = (uint32_t)record_u64(&r) };
	uint64_t host_limit = record_u64(&r);

	how.limit = record_u64(&r);
	worker.cell = record_u32(&r);
	how.refill = record_u8(&r) != 0;
	how.gives_up = record_u8(&r) != 0;
	device_set_rollback(record_u8(&r));
	take_needed(&r, &how);
	if (r.failed)
		return record_check(&r, "WORKER_ATTACH", err);
	if (take_session(lost, err) || device_attach(&how, err) || take_chunks(err))
		return -1;
	*ret_kept = keep_overwritten(&r);
	if (restore_preimages(&r, err))
		return -1;
	take_checksums(&r);
	if (record_check(&r, "WORKER_ATTACH", err))
		return -1;
	allocator_set_limit(host_limit);
	worker.attached = true;
	return device_attach_end(lost, err);
}

static void put_lines(struct buffer *out, const struct buffer *lines)
{
	const char *text = buffer_text(lines);
	cleanup_buffer struct buffer items = BUFFER_INIT;
	uint32_t n = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[1024];

		snprintf(line, sizeof(line), "%.*s", (int)(len < 1023 ? len : 1023), text);
		text += len + (text[len] == '\n');
		if (!line[0])
			continue;
		record_put_str(&items, line);
		n++;
	}
	record_put_u32(out, n);
	buffer_append(out, items.data, items.len);
}

int worker_run_attach(const struct ipc_message *first, struct error *err)
{
	cleanup_buffer struct buffer lost = BUFFER_INIT;
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct error problem = ERROR_INIT;
	bool kept = false;
	int r;

	worker_set_phase(PHASE_ATTACHING);
	r = attach(first, &lost, &kept, &problem);
	worker_set_phase(PHASE_IDLE);
	record_put_u8(&out, !r                            ? ATTACH_OK
			    : problem.code == ERROR_LIMIT ? ATTACH_NO_ROOM
							  : ATTACH_FAILED);
	record_put_str(&out, r ? problem.text : "");
	put_lines(&out, &lost);
	record_put_u8(&out, device_is_usable());
	record_put_u8(&out, kept);
	if (buffer_check(&lost, err) || buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_ATTACHED, out.data, out.len, -1, err);
}

struct run {
	uint64_t number; /* of WORKER_RUN */
	struct unit unit;
	uint64_t owner; /* see struct unit_code */
	struct run_options options;
	struct error no_profile, no_trace; /* why */
	const char *text;                  /* of the cell, "" unknown */
	const char *delivery;              /* the message of a front end that it is run for */
	size_t delivery_len;               /* 0: it is run for none */
	struct record earlier;             /* where the checked functions of earlier cells stand */
	struct loaded loaded;
	struct buffer warnings;
	uint64_t load_ns;
	uint64_t run_ns;
	enum cell_outcome outcome;
};

static void fail(struct run *run, enum fault_kind kind, const char *text)
{
	struct fault_record *f = &worker.control->fault;

	snprintf(f->text, sizeof(f->text), "%s", text);
	atomic_store(&f->kind, kind);
	run->outcome = OUTCOME_FAULT;
}

static void put_symbols(const struct unit *u, struct buffer *out)
{
	cleanup_buffer struct buffer items = BUFFER_INIT;
	uint32_t n = 0;

	for (size_t i = 0; i < u->n_symbols; i++) {
		const struct symbol *s = symbols_find(u->symbols[i].name);

		if (!s || s->kind == SYMBOL_LIBRARY)
			continue;
		record_put_str(&items, s->name);
		record_put_u64(&items, s->address);
		record_put_u64(&items, s->size);
		n++;
	}
	record_put_u32(out, n);
	buffer_append(out, items.data, items.len);
}

static int send_symbols(const struct unit *u, const struct loaded *l, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	put_symbols(u, &out);
	record_put_u32(&out, (uint32_t)l->n_sections);
	for (size_t i = 0; i < l->n_sections; i++) {
		record_put_u32(&out, l->sections[i].index);
		record_put_u64(&out, l->sections[i].address);
	}
	record_put_u32(&out, l->replaces);
	record_put_u8(&out, l->has_code);
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_LOADED, out.data, out.len, -1, err);
}

static void fail_to_load(struct run *run, const struct error *err)
{
	struct fault_record *f = &worker.control->fault;

	if (err->code == ERROR_NOT_FOUND)
		snprintf(f->missing, sizeof(f->missing), "%s", run->loaded.missing);
	fail(run, err->code == ERROR_NOT_FOUND ? FAULT_LINK : FAULT_INTERNAL, err->text);
}

/* Functions that take the place of those without checks. */
static int load_earlier(struct run *run, struct error *err)
{
	uint32_t n = record_count(&run->earlier, 4);

	if (memcheck_prepare(err))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *bytes = record_bytes(&run->earlier, &len);
		struct loaded loaded;
		struct unit u;
		int failed;

		if (run->earlier.failed || unit_decode(bytes, len, &u, err))
			return record_check(&run->earlier, "WORKER_RUN", err);
		failed = loader_load(&u, 0, &loaded, err);
		unit_release(&u);
		if (failed)
			return -1;
	}
	return record_check(&run->earlier, "WORKER_RUN", err);
}

static void fail_to_load_device(struct run *run, const struct error *err)
{
	struct fault_record *f = &worker.control->fault;

	if (device_is_usable()) {
		fail(run,
		     err->code == ERROR_NOT_FOUND || err->code == ERROR_COMPILE ? FAULT_LINK
										: FAULT_INTERNAL,
		     err->text);
		return;
	}
	device_unusable_ename(f->ename, sizeof(f->ename));
	fail(run, FAULT_CUDA, err->text);
}

static void load(struct run *run)
{
	uint64_t start = clock_now_ns();
	struct error err = ERROR_INIT;

	worker_set_phase(PHASE_LOADING);
	if (run->options.checked && load_earlier(run, &err))
		fail(run, FAULT_INTERNAL, err.text);
	else if (loader_load(&run->unit, run->owner, &run->loaded, &err))
		fail_to_load(run, &err);
	else if (device_load(&run->unit, &err))
		fail_to_load_device(run, &err);
	else if (send_symbols(&run->unit, &run->loaded, &err))
		fail(run, FAULT_INTERNAL, err.text);
	buffer_puts(&run->warnings, buffer_text(&run->loaded.notes));
	run->load_ns = clock_now_ns() - start;
}

static void call_parts(void *data)
{
	const struct run *run = data;
	const struct loaded *l = &run->loaded;

	for (size_t i = 0; i < l->n_choices; i++)
		*l->choices[i].slot = l->choices[i].choose();
	for (size_t i = 0; i < l->n_constructors; i++) {
		if (l->constructors[i])
			l->constructors[i]();
	}
	if (l->run)
		l->run();
	if (run->delivery_len)
		comm_deliver(run->delivery, run->delivery_len);
}

/* On the cell stack, as the cell. */
static void call_unit(void *data)
{
	exports_call_until_return(call_parts, data);
}

static void call(struct run *run, void (*fn)(void *data), void *data)
{
	uint64_t start = clock_now_ns();

	worker_set_phase(PHASE_RUNNING);
	if (!interrupt_run(fn, data)) {
		run->outcome = OUTCOME_INTERRUPTED;
		cell_stdio_renew_input();
		children_end();
	}
	run->run_ns += clock_now_ns() - start;
}

/* Objects that the unit replaces are destroyed while they are whole: loading it overwrites them. */
static void end_earlier_objects(struct run *run)
{
	const struct unit_code *again = loader_earlier_run(&run->unit);
	struct error err = ERROR_INIT;

	if (!at_exit_count())
		return;
	at_exit_mark_owner(run->owner);
	if (again)
		at_exit_mark_unit(again);
	if (loader_each_kept(&run->unit, at_exit_mark, NULL, &err))
		fail(run, FAULT_INTERNAL, err.text);
	else if (at_exit_is_due())
		call(run, at_exit_run_marked, NULL);
}

static void begin_checks(void)
{
	memcheck_libc_take_over();
	memcheck_begin();
}

static void call_cell(struct run *run)
{
	struct error err = ERROR_INIT;

	if (run->options.debugged && cell_stop_begin(&err))
		buffer_printf(&run->warnings, "%s\n", err.text);
	call(run, call_unit, run);
	cell_stop_end();
}

static void load_and_call(struct run *run)
{
	end_earlier_objects(run);
	if (run->outcome == OUTCOME_OK && device_libraries_due())
		call(run, device_libraries_renew, NULL);
	if (run->outcome == OUTCOME_OK)
		load(run);
	if (run->outcome == OUTCOME_OK && run->options.checked)
		begin_checks();
	if (run->outcome == OUTCOME_OK && run->options.traced)
		device_trace_begin(&run->no_trace);
	if (run->outcome == OUTCOME_OK)
		call_cell(run);
	device_trace_stop();
	worker_set_phase(PHASE_ENDING);
	cell_stdio_end();
}

static void settle(struct run *run)
{
	struct fault_record *f = &worker.control->fault;
	struct fault_record found;

	memset(&found, 0, sizeof(found));
	if (!device_cell_end(&run->warnings, &found)) {
		if (run->options.checked)
			leak_report(worker.cell, &run->warnings);
		else
			damage_report(&run->warnings);
		return;
	}
	worker_clear_fault();
	memcpy((char *)f + sizeof(f->kind), (char *)&found + sizeof(found.kind),
	       sizeof(found) - sizeof(found.kind));
	atomic_store(&f->kind,
		     atomic_load(&found.kind) ? atomic_load(&found.kind) : (uint32_t)FAULT_CUDA);
	run->outcome = OUTCOME_FAULT;
}

static int send_findings(uint32_t message, const struct error *none, const struct buffer *findings,
			 struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	record_put_str(&out, none->text);
	record_put_bytes(&out, findings->data, findings->len);
	return buffer_check(&out, err) || worker_send(message, out.data, out.len, -1, err) ? -1 : 0;
}

static int send_profile(struct run *run, struct error *err)
{
	cleanup_buffer struct buffer profile = BUFFER_INIT;

	if (!run->no_profile.code)
		device_profile_take(&profile, &run->no_profile);
	return send_findings(WORKER_PROFILE_IS, &run->no_profile, &profile, err);
}

static int send_trace(struct run *run, struct error *err)
{
	cleanup_buffer struct buffer trace = BUFFER_INIT;

	if (!run->no_trace.code)
		device_trace_take(&trace, &run->no_trace);
	return send_findings(WORKER_TRACE_IS, &run->no_trace, &trace, err);
}

static int report(const struct run *run, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct device_rollback_cost cost;
	int sent;

	record_put_u64(&out, run->number);
	record_put_u8(&out, (uint8_t)run->outcome);
	record_put_u64(&out, run->run_ns);
	record_put_u64(&out, run->load_ns);
	put_lines(&out, &run->warnings);
	device_rollback_cost(&cost);
	record_put_u64(&out, cost.saved_bytes);
	record_put_u64(&out, cost.saved_ns);
	record_put_u64(&out, cost.read_bytes);
	record_put_u64(&out, cost.read_ns);
	if (run->outcome == OUTCOME_FAULT) {
		record_put_u8(&out, 0);
		record_put_u8(&out, 0);
		record_put_u32(&out, 0);
	} else if (commit_put(&out, err)) {
		return -1;
	}
	if (buffer_check(&out, err))
		return -1;
	atomic_store(&worker.control->interrupt, 0);
	sent = worker_send(WORKER_CELL_END, out.data, out.len, -1, err);
	/* Not before: the cell of one who dies idle has not begun, and the next worker runs it. */
	worker_set_phase(PHASE_IDLE);
	return sent;
}

/* Names that the cell's new text has no more. */
static void drop_symbols(struct record names)
{
	uint32_t n = record_count(&names, 5);

	meta_enter();
	while (n--)
		symbols_drop(record_str(&names));
	meta_leave();
}

/* Behind the unit and the names. */
static int check_run(struct record r, struct run *run, struct error *err)
{
	uint32_t n = record_count(&r, 5);
	size_t len;

	while (n--)
		record_str(&r);
	run->owner = record_u64(&r);
	run->text = record_str(&r);
	run->options = run_options_take(&r);
	run->delivery = record_bytes(&r, &run->delivery_len);
	run->earlier = r;
	for (n = record_count(&r, 4); n; n--)
		record_bytes(&r, &len);
	return record_check(&r, "WORKER_RUN", err);
}

struct unsaved {
	struct buffer items;
	uint32_t n;
};

static void put_block(void *data, uint64_t address, uint64_t size, uint32_t cell)
{
	const struct symbol *s = symbols_pointing_to(address);
	struct unsaved *p = data;

	record_put_u64(&p->items, address);
	record_put_u64(&p->items, size);
	record_put_u32(&p->items, cell);
	record_put_str(&p->items, s ? s->name : "");
	p->n++;
}

/* Blocks that have no old content once the cell has begun are told. */
static int begin_unsaved(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct unsaved p = { BUFFER_INIT, 0 };
	int failed;

	if (m->n_fds != 1)
		return error_set(err, ERROR_PROTOCOL, "WORKER_RUN came without its descriptor");
	allocator_write_committed(m->fds[0], put_block, &p);
	record_put_u32(&out, p.n);
	buffer_append(&out, p.items.data, p.items.len);
	failed = buffer_check(&p.items, err);
	buffer_release(&p.items);
	return failed || buffer_check(&out, err)
		       ? -1
		       : worker_send(WORKER_UNSAVED_ARE, out.data, out.len, -1, err);
}

int worker_run_cell(const struct ipc_message *m, struct error *err)
{
	struct run run = { .outcome = OUTCOME_OK };
	struct record r = record_open(m->data, m->len);
	const char *bytes;
	size_t len;
	int result;

	run.number = record_u64(&r);
	bytes = record_bytes(&r, &len);
	if (check_run(r, &run, err) || unit_decode(bytes, len, &run.unit, err))
		return -1;
	if (!worker.attached) {
		unit_release(&run.unit);
		return error_set(err, ERROR_STATE, "a cell came before a session was attached");
	}
	if (run.options.unsaved && begin_unsaved(m, err)) {
		unit_release(&run.unit);
		return -1;
	}
	worker.cell = run.unit.cell;
	/* All of it is taken back, in any mode, unless the device memory is this process's own. */
	if (run.options.checked && worker.control->device.driver != DRIVER_CHECKS)
		device_set_rollback(DEVICE_ROLLBACK_FULL);
	worker_clear_fault();
	allocator_set_cell(run.unit.cell);
	device_cell_begin(run.unit.cell, run.options.device_checks);
	device_cell_text(*run.text ? run.text : NULL);
	cell_stdio_begin();
	device_look_after_suspend();
	if (run.options.profiled)
		device_profile_begin(&run.no_profile);
	load_and_call(&run);
	if (run.outcome != OUTCOME_FAULT)
		settle(&run);
	/* A thread of the cell may hold the lock of the trace, so that is taken while they run. */
	result = run.options.traced ? send_trace(&run, err) : 0;
	if (run.outcome == OUTCOME_OK)
		drop_symbols(r);
	if (run.outcome != OUTCOME_FAULT && !commit_freeze_threads())
		fail(&run, FAULT_INTERNAL,
		     "A thread of a cell does not stand still for the commit: it blocks signals, "
		     "or hangs in Linux. %reset ends all threads.");
	if (!result && run.options.profiled && run.outcome != OUTCOME_FAULT)
		result = send_profile(&run, err);
	if (!result)
		result = report(&run, err);
	buffer_release(&run.warnings);
	loaded_release(&run.loaded);
	unit_release(&run.unit);
	device_cell_text(NULL);
	return result;
}

int worker_run_limits(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint64_t host = record_u64(&r), device = record_u64(&r);
	uint8_t rollback = record_u8(&r);

	if (record_check(&r, "WORKER_LIMITS", err))
		return -1;
	device_set_rollback(rollback);
	allocator_set_limit(host);
	device_set_limit(device);
	return 0;
}

int worker_run_describe(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint32_t id = record_u32(&r), n = record_count(&r, 8);

	record_put_u32(&out, id);
	record_put_u32(&out, n);
	for (uint32_t i = 0; i < n; i++) {
		struct address_description d;

		host_fault_describe_value(record_u64(&r), &d);
		record_put_u8(&out, (uint8_t)d.owner);
		record_put_u64(&out, d.base);
		record_put_u64(&out, d.size);
		record_put_u32(&out, d.cell);
		record_put_u32(&out, d.freed_cell);
		record_put_str(&out, d.name);
	}
	if (record_check(&r, "WORKER_DESCRIBE", err) || buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_DESCRIBED, out.data, out.len, -1, err);
}
