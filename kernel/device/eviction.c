/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk after the other, one piece at a time, so that a cell that comes has to wait for one
 * piece only. The file is sparse: no place in it is used twice, what is not needed any more is made
 * a hole, and when nothing is, it is closed. A worker whose attempt was given up may still write
 * its last piece, and that must meet nothing new.
 */
#define _GNU_SOURCE
#include "kernel/device/eviction.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/base/whole-io.h"
#include "common/memory/address-map.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/closings.h"
#include "kernel/device/device-nodes.h"
#include "kernel/device/device-share.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/settings/folders.h"
#include "kernel/settings/size-text.h"
#include "kernel/share/share-file.h"
#include "kernel/share/share.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/tracked-list.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/libraries.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define PIECE (16 * MIB)
/* A notebook whose cells run one after the other is not idle. */
#define REST_MS 1000
#define AGAIN_MS 1000
/* Interval of looking for a worker that is being forked. */
#define FORKED_MS 10

void eviction_init(struct supervisor *s)
{
	*s->eviction = (struct eviction){ .file = -1, .rules = { .when_wanted = true } };
}

static void stop_timers(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	if (!s->loop)
		return;
	loop_remove(s->loop, p->look);
	loop_remove(s->loop, p->watch);
	p->look = p->watch = NULL;
}

static void drop_items(struct eviction *p)
{
	free(p->items);
	p->items = NULL;
	p->n = p->at = 0;
}

void eviction_release(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	stop_timers(s);
	if (s->loop)
		loop_remove(s->loop, p->step);
	drop_items(p);
	if (p->file >= 0)
		close(p->file);
	buffer_release(&p->problem);
	eviction_init(s);
}

/* ---- chunks ---- */

typedef void chunk_fn(void *data, struct device_chunk *c, bool is_mapped);

static void each_of(struct device_chunks *c, bool are_mapped, chunk_fn *fn, void *data)
{
	for (size_t i = 0; i < c->n; i++)
		fn(data, &c->at[i], are_mapped);
}

struct visitor {
	chunk_fn *fn;
	void *data;
};

static void each_kept(void *data, struct device_chunks *c)
{
	const struct visitor *v = data;

	each_of(c, false, v->fn, v->data);
}

/* Calls fn for the chunks of the session and for those that undo keeps. */
static void each_chunk(struct supervisor *s, chunk_fn *fn, void *data)
{
	struct visitor v = { fn, data };

	each_of(&s->device.chunks, true, fn, data);
	undo_log_each_chunks(&s->snapshot.undo, each_kept, &v);
}

static void count_parked(void *data, struct device_chunk *c, bool is_mapped)
{
	(void)is_mapped;
	*(size_t *)data += c->parked;
}

struct places {
	struct place {
		uint64_t at, size;
	} *of;
	size_t n;
};

static void add_place(void *data, struct device_chunk *c, bool is_mapped)
{
	struct places *p = data;

	(void)is_mapped;
	if (c->parked)
		p->of[p->n++] = (struct place){ c->place, c->size };
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Punches holes into the file wherever none of the n chunks lies. It is done another time when
 * there is no memory for it. */
static void make_holes(struct supervisor *s, size_t n)
{
	struct eviction *p = s->eviction;
	struct places places = { .of = calloc(n, sizeof(*places.of)) };
	uint64_t from = 0;

	if (!places.of)
		return;
	each_chunk(s, add_place, &places);
	qsort(places.of, places.n, sizeof(*places.of), compare_places);
	for (size_t i = 0; i <= places.n; i++) {
		uint64_t to = i < places.n ? places.of[i].at : p->end;

		if (to > from && fallocate(p->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					   (off_t)from, (off_t)(to - from)))
			log_debug("the file of parked memory keeps what is not needed: %s",
				  strerror(errno));
		if (i < places.n)
			from = to + places.of[i].size;
	}
	free(places.of);
}

static void close_when_empty(struct supervisor *s)
{
	struct eviction *p = s->eviction;
	size_t n = 0;

	if (p->file < 0 || p->phase == EVICTION_SAVING)
		return;
	each_chunk(s, count_parked, &n);
	if (n) {
		make_holes(s, n);
		return;
	}
	close(p->file);
	p->file = -1;
	p->end = 0;
}

struct sum {
	uint64_t bytes;
	size_t n;
};

static void add_held(void *data, struct device_chunk *c, bool is_mapped)
{
	struct sum *sum = data;

	(void)is_mapped;
	if (c->fd < 0)
		return;
	sum->bytes += c->size;
	sum->n++;
}

static struct sum held(const struct supervisor *s)
{
	struct sum sum = { 0 };

	each_chunk((struct supervisor *)s, add_held, &sum);
	return sum;
}

static void add_item(void *data, struct device_chunk *c, bool is_mapped)
{
	struct eviction *p = data;

	if (c->fd < 0)
		return;
	p->items[p->n++] = (struct eviction_item){
		.id = c->id, .size = c->size, .address = is_mapped ? c->address : 0, .place = p->end
	};
	p->end += c->size;
}

struct search {
	uint64_t id;
	struct device_chunk *found;
};

static void compare_id(void *data, struct device_chunk *c, bool is_mapped)
{
	struct search *search = data;

	(void)is_mapped;
	if (c->id == search->id && c->fd >= 0)
		search->found = c;
}

static struct device_chunk *find(struct supervisor *s, uint64_t id)
{
	struct search search = { .id = id };

	each_chunk(s, compare_id, &search);
	return search.found;
}

/* ---- the file ---- */

/* Opens a file without a name in the folder. */
static int open_on_disk(struct supervisor *s, struct error *err)
{
	const char *folder = s->eviction->folder ? s->eviction->folder : "/var/tmp";
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/parked-XXXXXX", folder);
	if (folders_make(folder, 0700, err))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, "cannot make a file in %s", folder);
	unlink(path);
	return fd;
}

static int open_file(struct supervisor *s, uint64_t bytes, struct error *err)
{
	struct eviction *p = s->eviction;
	uint64_t max = p->rules.memory_max ? p->rules.memory_max : machine_memory_available() / 4;

	if (p->file < 0) {
		p->on_disk = bytes > max;
		p->file = p->on_disk ? open_on_disk(s, err)
				     : memfd_create("cgpu-parked", MFD_CLOEXEC);
		if (p->file < 0)
			return p->on_disk ? -1 : error_errno(err, "no memory for what is parked");
	}
	if (ftruncate(p->file, (off_t)(p->end + bytes)))
		return error_errno(err, "cannot make room for what is parked");
	return 0;
}

/* ---- saving ---- */

/* Ends the attempt, SAVING -> AWAKE or EVICTED, and calls the callback, which may do anything. */
static void tell(struct supervisor *s, const char *problem)
{
	struct eviction *p = s->eviction;
	eviction_done *done = p->done;

	p->done = NULL;
	drop_items(p);
	if (done)
		done(p->done_data, problem);
	else if (*problem)
		log_warning("the session could not be parked: %s", problem);
}

static void give_up(struct supervisor *s, const char *problem)
{
	struct eviction *p = s->eviction;

	/* The loop's callback for this attempt must not reach the next one. */
	if (s->loop)
		loop_remove(s->loop, p->step);
	p->step = NULL;
	p->phase = EVICTION_AWAKE;
	close_when_empty(s);
	eviction_on_rest(s);
	tell(s, problem);
}

static int send_piece(struct supervisor *s, struct error *err)
{
	const struct eviction_item *i = &s->eviction->items[s->eviction->at];
	cleanup_buffer struct buffer b = BUFFER_INIT;
	const struct device_chunk *c = i->address ? NULL : find(s, i->id);
	uint64_t left = i->size - i->copied;

	if (!i->address && !c)
		return error_set(err, ERROR_STATE, "the session was changed meanwhile");
	record_put_u32(&b, ++s->eviction->number);
	record_put_u64(&b, i->id);
	record_put_u64(&b, i->size);
	record_put_u64(&b, i->address);
	record_put_u64(&b, i->copied);
	record_put_u64(&b, left < PIECE ? left : PIECE);
	record_put_u64(&b, i->place + i->copied);
	return buffer_check(&b, err) ? -1
				     : worker_send(s->pool->active, WORKER_EVICT, b.data, b.len,
						   c ? &c->fd : NULL, err);
}

static void mark(void *data, struct device_chunk *c, bool is_mapped)
{
	const struct eviction *p = data;

	(void)is_mapped;
	for (size_t i = 0; i < p->n && c->fd >= 0; i++) {
		if (p->items[i].id != c->id)
			continue;
		device_chunk_park(c, p->items[i].place);
	}
}

/* Checks that the worker is idle and that nothing would be lost with it. */
static int is_unused(const struct supervisor *s, struct error *err)
{
	if (s->run.phase != RUN_NONE || s->compiling || !worker_pool_is_ready(s) ||
	    s->hooks->snapshot_is_at_work(s) || s->libraries->request)
		return error_set(err, ERROR_STATE,
				 "a cell runs, or the session is being saved or restored");
	if (tracked_list_count(&s->snapshot, TRACKED_THREAD))
		return error_set(err, ERROR_STATE,
				 "threads that cells have started still run, and would end in the "
				 "middle of what they do; end them first");
	return 0;
}

/* Ends the workers, when all of the memory is in the file. */
static int leave_device(struct supervisor *s, struct error *err)
{
	struct eviction *p = s->eviction;
	int failed;

	if (is_unused(s, err))
		return -1;
	s->hooks->settle_in_place(s);
	if (p->changes != s->snapshot.changes || held(s).n != p->n)
		return error_set(err, ERROR_STATE, "the session was changed meanwhile");
	/* The spare has a context, too: other notebooks are told when its memory is free. */
	p->phase = EVICTION_EVICTED;
	worker_pool_renew(s);
	failed = worker_pool_empty(s, err);
	if (!failed) {
		each_chunk(s, mark, p);
		device_nodes_release(s->nodes);
		s->hooks->on_evicted(s);
	} else {
		p->phase = EVICTION_AWAKE;
	}
	worker_pool_refill(s);
	return failed;
}

static void on_saved(void *data)
{
	struct supervisor *s = data;
	struct error err = ERROR_INIT;

	s->eviction->step = NULL;
	if (s->eviction->phase != EVICTION_SAVING)
		return;
	/* A worker without a known pid cannot be ended, and would open the device when all others
	 * are gone. */
	if (s->pool->spare && s->pool->spare->state == WORKER_STARTING) {
		s->eviction->step = loop_add_timer(s->loop, FORKED_MS, on_saved, s);
		return;
	}
	if (leave_device(s, &err)) {
		give_up(s, err.text);
		return;
	}
	closings_await(s);
	buffer_clear(&s->eviction->problem);
	stop_timers(s);
	device_share_settle(s);
	tell(s, "");
}

/* Goes on with the next piece. The last step is taken from the loop: it ends the worker, whose
 * message is being handled here. */
static int take_step(struct supervisor *s, struct error *err)
{
	struct eviction *p = s->eviction;

	if (p->at < p->n)
		return send_piece(s, err);
	p->step = loop_add_timer(s->loop, 0, on_saved, s);
	return 0;
}

void eviction_on_message(struct supervisor *s, struct ipc_message *m)
{
	struct eviction *p = s->eviction;
	struct record r = record_open(m->data, m->len);
	uint32_t number = record_u32(&r);
	bool ok = record_u8(&r) != 0;
	const char *why = record_str(&r);
	struct eviction_item *i = &p->items[p->at];
	struct error err = ERROR_INIT;
	uint64_t left;

	/* The attempt was given up, and this is a late answer. */
	if (p->phase != EVICTION_SAVING || p->at == p->n || r.failed || number != p->number)
		return;
	if (!ok) {
		give_up(s, why);
		return;
	}
	left = i->size - i->copied;
	i->copied += left < PIECE ? left : PIECE;
	p->at += i->copied == i->size;
	if (take_step(s, &err))
		give_up(s, err.text);
}

static int is_possible(const struct supervisor *s, struct error *err)
{
	if (s->eviction->phase != EVICTION_AWAKE)
		return error_set(err, ERROR_STATE, "it is being parked already");
	return is_unused(s, err);
}

static int start(struct supervisor *s, struct error *err)
{
	struct eviction *p = s->eviction;
	struct sum all = held(s);

	if (is_possible(s, err) || open_file(s, all.bytes, err))
		return -1;
	p->items = calloc(all.n + 1, sizeof(*p->items));
	if (!p->items)
		return error_set(err, ERROR_MEMORY, "out of memory for a table of device memory");
	each_chunk(s, add_item, p);
	p->changes = s->snapshot.changes;
	if (worker_send(s->pool->active, WORKER_EVICTION_FILE, NULL, 0, &p->file, err)) {
		drop_items(p);
		return -1;
	}
	p->phase = EVICTION_SAVING;
	if (take_step(s, err)) {
		p->phase = EVICTION_AWAKE;
		drop_items(p);
		return -1;
	}
	return 0;
}

int eviction_start(struct supervisor *s, eviction_done *done, void *data, struct error *err)
{
	struct eviction *p = s->eviction;
	bool began_by_itself = p->phase == EVICTION_SAVING && !p->done;

	if (!began_by_itself && start(s, err)) {
		close_when_empty(s);
		return -1;
	}
	p->done = done;
	p->done_data = data;
	return 0;
}

void eviction_cancel(struct supervisor *s)
{
	if (s->eviction->phase == EVICTION_SAVING)
		give_up(s, "given up; the session is as it was");
}

void eviction_on_worker_lost(struct supervisor *s)
{
	if (s->eviction->phase == EVICTION_SAVING)
		give_up(s, "the worker was lost meanwhile");
}

/* ---- coming back ---- */

bool eviction_keeps_workers_away(const struct supervisor *s)
{
	return s->eviction->phase == EVICTION_EVICTED || s->eviction->phase == EVICTION_CLAIMING;
}

void eviction_forget(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	if (eviction_keeps_workers_away(s)) {
		/* A message about the previous session is not needed any more. */
		loop_remove(s->loop, p->step);
		p->step = NULL;
		p->phase = EVICTION_AWAKE;
	}
	close_when_empty(s);
}

/* Tells whoever waits for the session why it is still parked. It runs from the loop, since the
 * waiting code may be the caller. */
static void on_refused(void *data)
{
	struct supervisor *s = data;
	struct eviction *p = s->eviction;
	char size[SIZE_TEXT_MAX], why[200];
	uint64_t bytes[CHUNK_DEVICES_MAX] = { 0 }, all = 0;

	p->step = NULL;
	if (p->phase != EVICTION_EVICTED)
		return;
	/* An undo may have brought a worker here. */
	worker_pool_renew(s);
	device_chunks_sum_parked(&s->device.chunks, bytes);
	for (unsigned i = 0; i < CHUNK_DEVICES_MAX; i++)
		all += bytes[i];
	snprintf(why, sizeof(why),
		 "the %s of device memory that this session has parked cannot come back at the "
		 "moment",
		 size_text(all, size));
	if (p->interrupted)
		s->hooks->refuse(s, "Interrupted",
				 "interrupted while the session waited for its device memory; "
				 "nothing was run",
				 "");
	else
		s->hooks->refuse(s, "CudaOutOfMemory", why, buffer_text(&p->problem));
}

static void refuse(struct supervisor *s, const char *why)
{
	struct eviction *p = s->eviction;

	buffer_clear(&p->problem);
	buffer_puts(&p->problem, why);
	buffer_puts(&p->problem,
		    "\nThe cell was not run, the session is still parked, and nothing is lost. Run "
		    "the cell again when there is room, or let it wait: %limit wait 5min.");
	p->phase = EVICTION_EVICTED;
	device_share_settle(s);
	if (!p->step)
		p->step = loop_add_timer(s->loop, 0, on_refused, s);
}

static void on_claimed(struct supervisor *s, bool granted, const char *why);

/* Claims from each device the bytes that are parked. CLAIMING -> ATTACHING when all is granted. */
static void claim(struct supervisor *s)
{
	struct eviction *p = s->eviction;
	uint64_t bytes[CHUNK_DEVICES_MAX] = { 0 };

	device_chunks_sum_parked(&s->device.chunks, bytes);
	p->claims = true;
	for (; p->device < CHUNK_DEVICES_MAX; p->device++) {
		if (!bytes[p->device])
			continue;
		p->answered = false;
		device_share_claim(s, p->device, bytes[p->device], on_claimed);
		if (!p->answered || !p->granted)
			break;
	}
	p->claims = false;
	if (p->device == CHUNK_DEVICES_MAX)
		p->phase = EVICTION_ATTACHING;
}

static void on_claimed(struct supervisor *s, bool granted, const char *why)
{
	struct eviction *p = s->eviction;

	p->answered = true;
	p->granted = granted;
	if (!granted)
		refuse(s, why);
	if (!granted || p->claims)
		return;
	p->device++;
	claim(s);
	if (p->phase == EVICTION_ATTACHING)
		worker_pool_look(s);
}

static void begin_return(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	p->phase = EVICTION_CLAIMING;
	p->interrupted = false;
	p->device = 0;
	claim(s);
}

void eviction_wake(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	if (p->phase == EVICTION_SAVING)
		give_up(s, "a cell has come meanwhile");
	if (p->phase != EVICTION_EVICTED || p->step)
		return;
	begin_return(s);
	if (p->phase == EVICTION_ATTACHING)
		worker_pool_look(s);
}

bool eviction_before_attach(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	if (p->phase == EVICTION_AWAKE && device_chunks_parked(&s->device.chunks))
		begin_return(s);
	return !eviction_keeps_workers_away(s);
}

bool eviction_interrupt(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	if (p->phase != EVICTION_CLAIMING)
		return false;
	device_share_stop(s);
	p->interrupted = true;
	refuse(s, "it was interrupted while it waited for its device memory.");
	return true;
}

int eviction_send_file(struct supervisor *s, struct worker *w, struct error *err)
{
	if (!device_chunks_parked(&s->device.chunks))
		return 0;
	return worker_send(w, WORKER_EVICTION_FILE, NULL, 0, &s->eviction->file, err);
}

void eviction_on_attached(struct supervisor *s)
{
	for (size_t i = 0; i < s->device.chunks.n; i++)
		if (s->device.chunks.at[i].fd >= 0)
			s->device.chunks.at[i].parked = false;
	if (s->eviction->phase != EVICTION_ATTACHING)
		return;
	s->eviction->phase = EVICTION_AWAKE;
	device_share_settle(s);
}

void eviction_on_no_room(struct supervisor *s, const char *why)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	for (size_t i = 0; i < s->device.chunks.n; i++) {
		struct device_chunk *c = &s->device.chunks.at[i];

		if (c->parked && c->fd >= 0)
			device_chunk_park(c, c->place);
	}
	buffer_printf(&text, "%s\n", why);
	device_share_table(s, &text, NULL);
	refuse(s, buffer_text(&text));
}

const char *eviction_problem(const struct supervisor *s)
{
	return s->eviction->phase == EVICTION_EVICTED ? buffer_text(&s->eviction->problem) : "";
}

/* ---- reading what is parked ---- */

static const struct device_chunk *chunk_at(const struct supervisor *s, uint64_t address)
{
	for (size_t i = 0; i < s->device.chunks.n; i++)
		if (address - s->device.chunks.at[i].address < s->device.chunks.at[i].size)
			return &s->device.chunks.at[i];
	return NULL;
}

int eviction_read(const struct supervisor *s, uint64_t address, uint64_t size, struct error *err)
{
	const struct device_chunk *c = chunk_at(s, address);
	cleanup_free char *bytes = malloc(size);
	uint64_t first = c ? address - c->address : 0;

	if (!c || !c->parked || size > c->size - first)
		return error_set(err, ERROR_STATE, "this device memory is not parked");
	if (!bytes)
		return error_set(err, ERROR_MEMORY, "out of memory for a copy of device memory");
	if (whole_pread(s->eviction->file, bytes, size, c->place + first) < size)
		return error_errno(err, "cannot read what is parked");
	return ipc_memfd("cgpu-device-copy", bytes, size, err);
}

/* ---- by itself ---- */

/* Tells whether the worker can be ended without a loss; otherwise the session does not park by
 * itself. */
static bool loses_nothing(const struct supervisor *s)
{
	cleanup_buffer struct buffer lost = BUFFER_INIT;

	worker_pool_describe_losses(s, &lost);
	return !lost.len && !lost.failed;
}

bool eviction_gives(const struct supervisor *s)
{
	return s->eviction->phase == EVICTION_AWAKE && s->eviction->rules.when_wanted &&
	       held(s).n && loses_nothing(s);
}

/* Tells whether others want memory. *ret_known false: the list could not be read and must be read
 * again. */
static bool is_wanted(struct supervisor *s, bool *ret_known)
{
	uint64_t bytes = 0;

	*ret_known = true;
	for (uint32_t i = 0; s->share->open && i < s->pool->hello.n_devices && !bytes; i++) {
		if (!share_wanted(&s->share->share, s->pool->hello.uuids[i], &bytes, NULL))
			continue;
		*ret_known = false;
		return false;
	}
	return bytes != 0;
}

static void on_look(void *data);

static void look_in(struct supervisor *s, uint64_t ms)
{
	struct eviction *p = s->eviction;

	loop_remove(s->loop, p->look);
	p->look = loop_add_timer(s->loop, ms, on_look, s);
}

static void park_by_itself(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	if (!eviction_start(s, NULL, NULL, &err))
		return;
	log_warning("the session could not be parked: %s", err.text);
	eviction_on_rest(s);
}

/* Parks the session if it is due. Returns the time until the next look, 0: parked, or never. */
static uint64_t look(struct supervisor *s)
{
	struct eviction *p = s->eviction;
	uint64_t rested = loop_now_ms() - p->rest_ms, idle = p->rules.idle_ms;
	bool known = true, wanted = eviction_gives(s) && is_wanted(s, &known);
	bool due = idle && rested >= idle && loses_nothing(s) &&
		   (held(s).n || !s->pool->hello.emulated);

	if (is_possible(s, NULL))
		return p->phase == EVICTION_AWAKE ? AGAIN_MS : 0;
	if (due || (wanted && rested >= REST_MS)) {
		park_by_itself(s);
		return 0;
	}
	if (wanted)
		return REST_MS - rested;
	/* Without a watch, the list is polled. */
	if (!known || (eviction_gives(s) && s->share->open && !p->watch))
		return AGAIN_MS;
	return idle > rested ? idle - rested : 0;
}

static void on_look(void *data)
{
	struct supervisor *s = data;
	uint64_t next;

	s->eviction->look = NULL;
	next = look(s);
	if (next && !s->eviction->look)
		look_in(s, next);
}

static void on_change(void *data)
{
	struct supervisor *s = data;

	share_file_drain(&s->share->share.file);
	look_in(s, 0);
}

void eviction_on_cell(struct supervisor *s)
{
	stop_timers(s);
}

void eviction_on_alone(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->eviction->watch);
	s->eviction->watch = NULL;
}

void eviction_on_rest(struct supervisor *s)
{
	struct eviction *p = s->eviction;

	close_when_empty(s);
	if (!s->loop)
		return;
	p->rest_ms = loop_now_ms();
	stop_timers(s);
	if (p->phase != EVICTION_AWAKE || (!p->rules.idle_ms && !eviction_gives(s)))
		return;
	if (eviction_gives(s) && s->share->open && s->share->share.file.watch >= 0)
		p->watch = loop_add_fd(s->loop, s->share->share.file.watch, on_change, s);
	look_in(s, REST_MS);
}

void eviction_set_rules(struct supervisor *s, const struct eviction_rules *r)
{
	s->eviction->rules = *r;
	if (s->run.phase == RUN_NONE)
		device_share_settle(s);
}

static void add_parked(void *data, struct device_chunk *c, bool is_mapped)
{
	(void)is_mapped;
	if (c->parked)
		*(uint64_t *)data += c->size;
}

bool eviction_holds_session(const struct supervisor *s, struct eviction_state *ret)
{
	const struct eviction *p = s->eviction;

	*ret = (struct eviction_state){ .rules = p->rules,
					.on_disk = p->on_disk,
					.problem = eviction_problem(s) };
	each_chunk((struct supervisor *)s, add_parked, &ret->bytes);
	return eviction_keeps_workers_away(s);
}
