/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations between the lanes of a warp (PTX ISA 9.7.9.6, 9.7.13). They name the lanes that take
 * part. When all of these that still live are in the running fragment, the operation is done at
 * once. Else the fragment leaves its values in the warp and is parked, and the last one to arrive,
 * maybe at another place in the code, does it for all.
 */
#define TAKE_WARP KEEP
#include "emulator/exec/exec-warp.h"

#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/observer.h"

/* Lanes that the running fragment's operands name. */
static uint32_t named_lanes(struct warp *w, const struct op *o)
{
	uint32_t named = 0;

	if (o->flags & WARP_NO_MASK)
		return w->mask;
	FOR_ACTIVE (l, w->mask)
		named |= ROW(w, uint32_t, o->x[1])[l];
	return named;
}

/* The value of a lane that does not take part is undefined; programs rely on 0. */
static void shfl_apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have,
		       const uint32_t *value)
{
	uint32_t *d = (uint32_t *)(rows + o->d);
	const uint32_t *pb = (const uint32_t *)(rows + o->b), *pc = (const uint32_t *)(rows + o->c);
	uint32_t inside = 0;

	FOR_ACTIVE (l, mask) {
		int lane = (int)l, b = pb[l] & 31, c = pc[l] & 31, segment = pc[l] >> 8 & 31;
		int low = lane & segment, high = low | (c & ~segment), from;
		bool ok;

		switch (o->flags & WARP_MODE) {
		case SHFL_UP:
			from = lane - b;
			ok = from >= high;
			break;
		case SHFL_DOWN:
			from = lane + b;
			ok = from <= high;
			break;
		case SHFL_BFLY:
			from = lane ^ b;
			ok = from <= high;
			break;
		default:
			from = low | (b & ~segment);
			ok = from <= high;
			break;
		}
		inside |= (uint32_t)ok << l;
		from = ok ? from & 31 : lane;
		d[l] = have >> from & 1 ? value[from] : 0;
	}
	if (o->x[0] != PTX_NO_OPERAND) {
		uint32_t *p = (uint32_t *)(rows + o->x[0]);

		*p = (*p & ~mask) | inside;
	}
}

/* value: 1 where the predicate holds; have: lanes that take part, each voting among those its mask
 * names. */
static void vote_apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have,
		       const uint32_t *value)
{
	uint32_t yes = 0;

	for (int l = 0; l < LANES; l++)
		yes |= (have >> l & value[l] & 1) << l;
	FOR_ACTIVE (l, mask) {
		uint32_t among = o->flags & WARP_NO_MASK
					 ? have
					 : have & ((const uint32_t *)(rows + o->x[1]))[l];
		uint32_t here = yes & among, *p = (uint32_t *)(rows + o->d);
		bool r;

		switch (o->flags & WARP_MODE) {
		case VOTE_BALLOT:
			p[l] = here;
			continue;
		case VOTE_ALL:
			r = here == among;
			break;
		case VOTE_ANY:
			r = here != 0;
			break;
		default:
			r = here == 0 || here == among;
			break;
		}
		*p = (*p & ~(1u << l)) | (uint32_t)r << l;
	}
}

static void match_apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have,
			const struct lane_values *value)
{
	uint32_t *d = (uint32_t *)(rows + o->d);

	FOR_ACTIVE (l, mask) {
		uint32_t among = have & ((const uint32_t *)(rows + o->x[1]))[l], same = 0;

		FOR_ACTIVE (k, among)
			if (value->low[k] == value->low[l] && value->high[k] == value->high[l])
				same |= 1u << k;
		if ((o->flags & WARP_MODE) == MATCH_ALL) {
			bool all = same == among;

			d[l] = all ? same : 0;
			if (o->x[0] != PTX_NO_OPERAND) {
				uint32_t *p = (uint32_t *)(rows + o->x[0]);

				*p = (*p & ~(1u << l)) | (uint32_t)all << l;
			}
		} else {
			d[l] = same;
		}
	}
}

static uint32_t reduce(uint32_t mode, uint32_t a, uint32_t b)
{
	switch (mode) {
	case REDUX_ADD:
		return a + b;
	case REDUX_MIN_U32:
		return a < b ? a : b;
	case REDUX_MAX_U32:
		return a > b ? a : b;
	case REDUX_MIN_S32:
		return (int32_t)a < (int32_t)b ? a : b;
	case REDUX_MAX_S32:
		return (int32_t)a > (int32_t)b ? a : b;
	case REDUX_AND:
		return a & b;
	case REDUX_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static void redux_apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have,
			const uint32_t *value)
{
	uint32_t *d = (uint32_t *)(rows + o->d);

	FOR_ACTIVE (l, mask) {
		uint32_t among = have & ((const uint32_t *)(rows + o->x[1]))[l], r;

		if (!among)
			continue;
		r = value[first_lane(among)];
		among &= among - 1;
		FOR_ACTIVE (k, among)
			r = reduce(o->flags & WARP_MODE, r, value[k]);
		d[l] = r;
	}
}

static void elect_apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have)
{
	FOR_ACTIVE (l, mask) {
		uint32_t among = have & ((const uint32_t *)(rows + o->x[1]))[l];
		uint32_t leader = among ? (uint32_t)first_lane(among) : l;

		if (o->d != PTX_NO_OPERAND)
			((uint32_t *)(rows + o->d))[l] = leader;
		if (o->x[0] != PTX_NO_OPERAND) {
			uint32_t *p = (uint32_t *)(rows + o->x[0]);

			*p = (*p & ~(1u << l)) | (uint32_t)(leader == l) << l;
		}
	}
}

/* Do o for the lanes of mask, with values of the lanes of have. */
static void apply(uint8_t *rows, const struct op *o, uint32_t mask, uint32_t have,
		  struct lane_values *value)
{
	switch (o->id) {
	case OP_shfl:
		shfl_apply(rows, o, mask, have, value->low);
		break;
	case OP_vote:
		vote_apply(rows, o, mask, have, value->low);
		break;
	case OP_match:
		match_apply(rows, o, mask, have, value);
		break;
	case OP_redux:
		redux_apply(rows, o, mask, have, value->low);
		break;
	case OP_elect:
		elect_apply(rows, o, mask, have);
		break;
	default:
		break;
	}
}

/* The running fragment's values, for the lanes of its mask. */
static void give_values(struct warp *w, const struct op *o, struct lane_values *value)
{
	switch (o->id) {
	case OP_vote: {
		uint32_t p = PREDICATE(w, o->a) ^ (o->flags & WARP_NEGATED ? ALL_LANES : 0);

		FOR_ACTIVE (l, w->mask)
			value->low[l] = p >> l & 1;
		break;
	}
	case OP_match:
		if (o->flags & WARP_WIDE) {
			FOR_ACTIVE (l, w->mask) {
				value->low[l] = (uint32_t)ROW(w, uint64_t, o->a)[l];
				value->high[l] = (uint32_t)(ROW(w, uint64_t, o->a)[l] >> 32);
			}
			break;
		}
		FOR_ACTIVE (l, w->mask) {
			value->low[l] = ROW(w, uint32_t, o->a)[l];
			value->high[l] = 0;
		}
		break;
	case OP_shfl:
		memcpy(value->low, ROW(w, uint32_t, o->a), sizeof(value->low));
		break;
	case OP_redux:
		FOR_ACTIVE (l, w->mask)
			value->low[l] = ROW(w, uint32_t, o->a)[l];
		break;
	default:
		break;
	}
}

/* Same operation in the sense of a joint execution: lanes may meet at different places. */
static bool joins(const struct op *a, const struct op *b)
{
	return a->id == b->id && a->flags == b->flags;
}

void exec_warp_check_joint(struct warp *w)
{
	for (uint32_t i = 0; i < w->parked_count; i++) {
		const struct op *o = w->parked[i].fragment.pc;
		uint32_t have = 0;
		bool complete = true;

		if (w->parked[i].kind != PARKED_WARP)
			continue;
		for (uint32_t k = 0; k < w->parked_count; k++)
			if (w->parked[k].kind == PARKED_WARP && joins(o, w->parked[k].fragment.pc))
				have |= w->parked[k].fragment.mask;
		for (uint32_t k = 0; k < w->parked_count; k++)
			if (w->parked[k].kind == PARKED_WARP &&
			    joins(o, w->parked[k].fragment.pc) &&
			    (w->parked[k].need & w->parked[i].need) &&
			    (w->parked[k].need & w->live & ~have))
				complete = false;
		if (!complete || (w->parked[i].need & w->live & ~have))
			continue;
		for (uint32_t k = w->parked_count; k-- > 0;) {
			struct parked *p = &w->parked[k];

			if (p->kind != PARKED_WARP || !joins(o, p->fragment.pc) ||
			    (p->need & w->live & ~have))
				continue;
			apply(p->fragment.frame->rows, p->fragment.pc, p->fragment.mask, have,
			      &w->joint);
			warp_wake(w, k, p->fragment.pc + 1);
		}
		if (w->worker->observer_count)
			observer_warp_sync(w, have);
		i = UINT32_MAX;
	}
}

static const struct op *join(struct warp *w, const struct op *o)
{
	uint32_t named = named_lanes(w, o);

	if (named & w->live & ~w->mask) {
		uint32_t old[LANES];

		/* A whole-row copy must not disturb what other fragments left. */
		memcpy(old, w->joint.low, sizeof(old));
		give_values(w, o, &w->joint);
		for (int l = 0; l < LANES; l++)
			if (!(w->mask >> l & 1))
				w->joint.low[l] = old[l];
		warp_park(w, o, PARKED_WARP, 0, named);
		exec_warp_check_joint(w);
		return NULL;
	}
	struct lane_values value;

	give_values(w, o, &value);
	apply(w->rows, o, w->mask, w->mask, &value);
	return o + 1;
}

#define DEFINE_JOINT(name)                                                                         \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return join(w, o);                                                                 \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		return join(w, o);                                                                 \
	}
DEFINE_JOINT(shfl)
DEFINE_JOINT(vote)
DEFINE_JOINT(match)
DEFINE_JOINT(redux)
DEFINE_JOINT(bar_warp)
DEFINE_JOINT(elect)

HANDLER(activemask_masked)
{
	uint32_t *d = ROW(w, uint32_t, o->d);

	FOR_ACTIVE (l, w->mask)
		d[l] = w->mask;
	return o + 1;
}

HANDLER(activemask_full)
{
	return activemask_masked(w, o);
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_warp)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
