/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races in global memory. Each access is compared with the marks of what it touches, and leaves its
 * own. A page is locked for that, since other host threads run other blocks.
 *
 * Two ways. Accesses by halves of a warp, to elements that follow each other or to one, are looked
 * at as a whole, by the registers that hold the addresses; many are of groups that have one mark,
 * and what several blocks have read and nobody wrote is not even locked. That way only finds that
 * there is no race. For all else, and wherever there may be a race, lanes are gone through one by
 * one.
 */
#include "emulator/check/race-pages.h"
#include "emulator/warp/exec.h"

#define HALF_LANES 16

#define GROUP_WORDS (RACE_GROUP / 4)

static const struct race_access *find(const struct race *r, uint32_t mark)
{
	uint32_t number = (mark & ~RACE_OTHER_BLOCK) >> RACE_LANE_BITS;

	return number ? &r->global.tables->chunks[number / RACE_CHUNK]->items[number % RACE_CHUNK]
		      : NULL;
}

static uint32_t number_of(struct race_now *n)
{
	struct race_block *c = n->c;
	struct race_recent *recent = race_recent(n);
	struct race_chunk *chunk;
	uint32_t number;

	if (race_is_alike(recent, n))
		return recent->number;
	if (c->number == c->number_end) {
		c->number = atomic_fetch_add(&c->race->global.count, RACE_RESERVE);
		c->number_end = c->number + RACE_RESERVE;
	}
	number = c->number++;
	chunk = number < RACE_NUMBERS / 2 ? race_log_chunk(c->race, number / RACE_CHUNK) : NULL;
	if (!chunk) {
		race_cut(c->race);
		return 0;
	}
	chunk->items[number % RACE_CHUNK] = n->access;
	chunk->owners[number % RACE_CHUNK / RACE_RESERVE] = c;
	*recent = (struct race_recent){ n->o, n->access.time, c->epoch, n->access.meets, number };
	return number;
}

/* NULL: the check was cut. */
static struct race_page *page_of(struct race_block *c, uint64_t number)
{
	struct race_page **recent = &c->pages[number % RACE_PAGES_RECENT];

	if (!*recent || (*recent)->number != number)
		*recent = race_page_find(c->race, number);
	return *recent;
}

/* ---- marks ---- */

/* An access replaces the mark of an earlier read, or its own is kept beside that: two reads are
 * kept that no order makes one. */
enum keep { REPLACE, BESIDE };

static enum keep keep_read(const struct race_now *n, const struct race_access *old)
{
	const struct race_access *now = &n->access;

	if (!old ||
	    (old->block == now->block && (old->warp == now->warp || old->epoch != now->epoch)))
		return REPLACE;
	/* An earlier one in order before this is of no use any more. */
	return old->time >= n->c->warps[now->warp].known ? BESIDE : REPLACE;
}

/* Whoever writes is unordered with one of the two reads, as long as nothing is released. */
static bool is_common(const struct race_now *n, uint32_t other)
{
	return other & RACE_OTHER_BLOCK && !n->access.time;
}

static uint32_t other_mark(const struct race_now *n, const struct race_access *old, uint32_t mark)
{
	return mark | (old->block != n->access.block ? RACE_OTHER_BLOCK : 0);
}

static void note_common(const struct race_now *n, struct race_page *p, uint32_t group,
			uint32_t other, uint32_t words)
{
	struct race_group *b = &p->groups[group];

	if (!is_common(n, other) || b->written)
		return;
	words |= atomic_load_explicit(&b->common, memory_order_relaxed);
	atomic_store_explicit(&b->common, (uint16_t)words, memory_order_relaxed);
	if (words == UINT16_MAX)
		atomic_store_explicit(&p->common,
				      atomic_load_explicit(&p->common, memory_order_relaxed) |
					      1ull << group,
				      memory_order_relaxed);
}

static void note_written(struct race_page *p, uint32_t group)
{
	struct race_group *b = &p->groups[group];

	if (b->written)
		return;
	b->written = true;
	atomic_store_explicit(&b->common, 0, memory_order_relaxed);
	atomic_store_explicit(&p->common,
			      atomic_load_explicit(&p->common, memory_order_relaxed) &
				      ~(1ull << group),
			      memory_order_relaxed);
}

/* ---- lane by lane ---- */

static void compare_with(const struct race_now *n, uint32_t mark, uint32_t lane)
{
	const struct race_access *old = find(n->c->race, mark);

	/* Most often it is the thread itself. */
	if (!old || ((mark & (LANES - 1)) == lane && old->block == n->access.block &&
		     old->warp == n->access.warp))
		return;
	race_compare(n, old, mark, lane);
}

static void visit(const struct race_now *n, struct race_page *p, uint32_t lane, uint32_t offset,
		  uint32_t size)
{
	uint32_t from = offset >> p->shift, to = (offset + size - 1) >> p->shift,
		 mark = race_mark(n->number, lane);
	uint32_t write = 0, read = 0, other = 0;

	for (uint32_t at = from; at <= to; at++) {
		uint32_t group = (at << p->shift) / RACE_GROUP;

		write = p->write[at] ? p->write[at] : write;
		if (race_writes(&n->access)) {
			read = p->read[at] ? p->read[at] : read;
			other = p->other[at] ? p->other[at] & ~RACE_OTHER_BLOCK : other;
			p->write[at] = mark;
			note_written(p, group);
		} else if (p->read[at] != mark && !is_common(n, p->other[at])) {
			const struct race_access *old = find(n->c->race, p->read[at]);

			if (keep_read(n, old) == REPLACE) {
				p->read[at] = mark;
			} else {
				p->other[at] = other_mark(n, old, mark);
				if (p->shift == 2)
					note_common(n, p, group, p->other[at],
						    1u << at % GROUP_WORDS);
			}
		}
	}
	if (write | read | other) {
		compare_with(n, write, lane);
		compare_with(n, read, lane);
		if (other != read)
			compare_with(n, other, lane);
	}
}

static bool make_words(struct race *r, struct race_page *p, uint32_t offset, uint32_t size)
{
	if (size < 1u << p->shift && !race_page_split(r, p, size))
		return false;
	for (uint32_t b = offset / RACE_GROUP; b <= (offset + size - 1) / RACE_GROUP; b++)
		if (!race_page_open(r, p, b))
			return false;
	return true;
}

static bool visit_bytes(const struct race_now *n, uint32_t lane, uint64_t at, uint32_t size)
{
	struct race_page *p = page_of(n->c, at >> RACE_PAGE_BITS);
	bool made;

	if (!p)
		return false;
	race_lock(&p->lock);
	made = make_words(n->c->race, p, at % RACE_PAGE, size);
	if (made)
		visit(n, p, lane, at % RACE_PAGE, size);
	race_unlock(&p->lock);
	return made;
}

void race_global_access(struct race_now *n)
{
	struct race_plan *plan = &n->c->race->plan;
	uint64_t last = 0;

	n->number = number_of(n);
	if (!n->number)
		return;
	if (race_writes(&n->access))
		race_store_set(&n->c->store, n->w, n->o, n->number, n->s->address, 0);
	FOR_ACTIVE (l, n->s->mask) {
		uint64_t at = n->s->address[l], end = at + n->s->size;

		if (plan->watch)
			race_plan_check(plan, n->o, at, race_writes(&n->access));
		/* Lanes that read what the lane before them reads. */
		if (!race_writes(&n->access) && at == last)
			continue;
		last = at;
		while (at < end) {
			uint64_t page_end = (at | (RACE_PAGE - 1)) + 1,
				 here = (end < page_end ? end : page_end) - at;

			if (!visit_bytes(n, l, at, (uint32_t)here))
				return;
			at += here;
		}
	}
}

/* ---- by halves ---- */

enum silence {
	SILENT,          /* never a race with this access */
	SILENT_IN_LANES, /* none by the same lane */
	LOUD,            /* maybe one */
};

static enum silence silence_of(const struct race_now *n, uint32_t mark)
{
	const struct race_access *old = find(n->c->race, mark);

	if (!old || race_is_silent(n, old))
		return SILENT;
	return old->block == n->access.block && old->warp == n->access.warp ? SILENT_IN_LANES
									    : LOUD;
}

/* Compare a group's one mark with another, given by `mark` and `step`. */
static bool group_is_silent(const struct race_now *n, uint32_t old, unsigned old_step,
			    uint32_t mark, unsigned step)
{
	enum silence s = old ? silence_of(n, old) : SILENT;

	return s == SILENT ||
	       (s == SILENT_IN_LANES && !((old ^ mark) & (LANES - 1)) && old_step == step);
}

/* A whole group with one mark. False: there may be a race, and nothing was changed. */
static bool visit_group(const struct race_now *n, struct race_page *p, uint32_t group,
			uint32_t mark, unsigned step)
{
	struct race_group *b = &p->groups[group];
	const struct race_access *old;

	if (!group_is_silent(n, b->write, b->write_step, mark, step))
		return false;
	if (race_writes(&n->access)) {
		if (!group_is_silent(n, b->read, b->read_step, mark, step) ||
		    !group_is_silent(n, b->other, b->other_step, mark, step))
			return false;
		b->write = mark;
		b->write_step = (uint8_t)step;
		note_written(p, group);
		return true;
	}
	if ((b->read == mark && b->read_step == step) || is_common(n, b->other))
		return true;
	old = find(n->c->race, b->read);
	if (keep_read(n, old) == REPLACE) {
		b->read = mark;
		b->read_step = (uint8_t)step;
	} else {
		b->other = other_mark(n, old, mark);
		b->other_step = (uint8_t)step;
		note_common(n, p, group, b->other, UINT16_MAX);
	}
	return true;
}

/* Marks of words; those of the access go by `marks`. */
static bool words_are_silent(const struct race_now *n, const uint32_t *old, const uint32_t *marks,
			     uint32_t count)
{
	uint32_t number = 0;
	enum silence s = SILENT;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t mark = old[i] & ~RACE_OTHER_BLOCK;

		if (mark >> RACE_LANE_BITS != number) {
			number = mark >> RACE_LANE_BITS;
			s = silence_of(n, mark);
		}
		if (s == LOUD || (s == SILENT_IN_LANES && (mark ^ marks[i]) & (LANES - 1)))
			return false;
	}
	return true;
}

static void mark_words_read(const struct race_now *n, struct race_page *p, uint32_t from,
			    const uint32_t *marks, uint32_t count)
{
	const struct race_access *old = NULL;
	uint32_t number = 0;
	enum keep keep = REPLACE;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = from + i, read = p->read[at];

		if (read == marks[i] || is_common(n, p->other[at]))
			continue;
		if (read >> RACE_LANE_BITS != number) {
			number = read >> RACE_LANE_BITS;
			old = find(n->c->race, read);
			keep = keep_read(n, old);
		}
		if (!read || keep == REPLACE) {
			p->read[at] = marks[i];
			continue;
		}
		p->other[at] = other_mark(n, old, marks[i]);
		note_common(n, p, at / GROUP_WORDS, p->other[at], 1u << at % GROUP_WORDS);
	}
}

/* Words of an open group. False: there may be a race, and nothing was changed. */
static bool visit_words(const struct race_now *n, struct race_page *p, uint32_t from,
			const uint32_t *marks, uint32_t count)
{
	if (!words_are_silent(n, p->write + from, marks, count))
		return false;
	if (!race_writes(&n->access)) {
		mark_words_read(n, p, from, marks, count);
		return true;
	}
	if (!words_are_silent(n, p->read + from, marks, count) ||
	    !words_are_silent(n, p->other + from, marks, count))
		return false;
	memcpy(p->write + from, marks, count * sizeof(*marks));
	note_written(p, from / GROUP_WORDS);
	return true;
}

/* The bytes that half a warp touches: whole words in one page. */
struct piece {
	struct race_page *page;
	uint32_t offset, bytes;
	uint32_t lane; /* the first one */
	unsigned step; /* words go to lanes by >> step */
};

/* Read by several blocks and written by none, so that this read tells nothing new. */
static bool is_known(const struct piece *x)
{
	uint32_t from = x->offset / 4, end = from + x->bytes / 4;

	while (from < end) {
		uint32_t group = from / GROUP_WORDS,
			 stop = (group + 1) * GROUP_WORDS < end ? (group + 1) * GROUP_WORDS : end;
		uint32_t wanted = ((1u << (stop - from)) - 1) << from % GROUP_WORDS;

		if (wanted & ~(uint32_t)atomic_load_explicit(&x->page->groups[group].common,
							     memory_order_relaxed))
			return false;
		from = stop;
	}
	return true;
}

static bool visit_piece(const struct race_now *n, const struct piece *x)
{
	uint32_t first = x->offset / 4, end = first + x->bytes / 4,
		 mark = race_mark(n->number, x->lane);

	if (x->page->shift != 2)
		return false;
	for (uint32_t from = first, stop; from < end; from = stop) {
		uint32_t group = from / GROUP_WORDS, marks[GROUP_WORDS],
			 m = mark + ((from - first) >> x->step);

		stop = (group + 1) * GROUP_WORDS < end ? (group + 1) * GROUP_WORDS : end;
		if (stop - from == GROUP_WORDS && !(x->page->open >> group & 1)) {
			if (!visit_group(n, x->page, group, m, x->step))
				return false;
			continue;
		}
		if (!race_page_open(n->c->race, x->page, group))
			return false;
		for (uint32_t i = 0; i < stop - from; i++)
			marks[i] = mark + ((from - first + i) >> x->step);
		if (!visit_words(n, x->page, from, marks, stop - from))
			return false;
	}
	return true;
}

/* The piece of the half from that lane on. False: it has none. */
static inline bool find_piece(const struct race_now *n, uint32_t lane,
			      const struct address_half *half, uint32_t size, bool writes,
			      struct piece *ret)
{
	const struct memory_cache *buffer = &n->w->caches[n->o->cache];
	struct race_plan *plan = &n->c->race->plan;
	uint64_t at = half->start + (uint64_t)n->o->imm, off = at - buffer->base;

	if (half->same && writes)
		return false;
	ret->bytes = half->same ? size : HALF_LANES * size;
	ret->offset = at % RACE_PAGE;
	ret->lane = lane;
	/* A word that all lanes touch is the first one's. */
	ret->step = half->same ? 5 : size == 4 ? 0 : size == 8 ? 1 : 2;
	if (at & (size - 1) || buffer->size < ret->bytes || off > buffer->size - ret->bytes ||
	    ret->offset + ret->bytes > RACE_PAGE)
		return false;
	if (plan->watch)
		race_plan_check(plan, n->o, at, writes);
	ret->page = page_of(n->c, at >> RACE_PAGE_BITS);
	return ret->page;
}

/* Is what the half reads known to be common? Bounds do not matter: what others have touched lies
 * within them. */
static inline bool reads_common(const struct race_now *n, const struct address_half *half,
				uint32_t size)
{
	uint64_t at = half->start + (uint64_t)n->o->imm,
		 last = at + (half->same ? size : HALF_LANES * size) - 1;
	uint64_t number = at >> RACE_PAGE_BITS, groups;
	const struct race_page *p = n->c->pages[number % RACE_PAGES_RECENT];

	if (!p || p->number != number || last >> RACE_PAGE_BITS != number)
		return false;
	groups = (2ull << last % RACE_PAGE / RACE_GROUP) - (1ull << at % RACE_PAGE / RACE_GROUP);
	return !(groups & ~atomic_load_explicit(&p->common, memory_order_relaxed));
}

bool race_global_halves(struct race_now *n, const struct access_shape *shape)
{
	bool writes = shape->kind != GPU_ACCESS_READ;
	uint32_t count = 0, low = n->w->mask & 0xffff, high = n->w->mask >> HALF_LANES;
	unsigned named = (low == 0xffff) | (unsigned)(high == 0xffff) << 1;
	struct address_half halves[2];
	struct piece pieces[2];

	if (n->o->flags & OP_ADDRESS_32 || shape->size < 4 || (low && !(named & 1)) ||
	    (high && !(named & 2)) ||
	    !n->c->race->rows->halves(ROW(n->w, uint64_t, n->o->a), shape->size, named, halves))
		return false;
	if (named == 3 && !writes && !race_time(n->c->race) &&
	    reads_common(n, &halves[0], shape->size) && reads_common(n, &halves[1], shape->size))
		return true;
	for (uint32_t i = 0; i < 2; i++) {
		if (!(named >> i & 1))
			continue;
		if (!find_piece(n, i * HALF_LANES, &halves[i], shape->size, writes, &pieces[count]))
			return false;
		count += writes || !is_known(&pieces[count]) || race_time(n->c->race);
	}
	if (!count)
		return true;
	/* Halves that make one piece. */
	if (count == 2 && pieces[0].step == pieces[1].step && pieces[0].step < 5 &&
	    pieces[1].page == pieces[0].page &&
	    pieces[1].offset == pieces[0].offset + pieces[0].bytes) {
		pieces[0].bytes *= 2;
		count = 1;
	}
	n->access = race_access_now(n->c, n->w, n->o, (enum gpu_access)shape->kind, false);
	n->number = number_of(n);
	if (!n->number)
		return true;
	if (writes)
		race_store_set(&n->c->store, n->w, n->o, n->number, ROW(n->w, uint64_t, n->o->a),
			       (uint64_t)n->o->imm);
	for (uint32_t i = 0; i < count; i++) {
		bool silent;

		race_lock(&pieces[i].page->lock);
		silent = visit_piece(n, &pieces[i]);
		race_unlock(&pieces[i].page->lock);
		if (!silent)
			return false;
	}
	return true;
}
