/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From syntax to operations: for each PTX instruction the family's decoder appends drafts; then
 * rows are allocated and the final array is written. An instruction that cannot be decoded becomes
 * an operation that faults when it is reached, so that code never run does no harm.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

static const struct {
	const char *opcode;
	decode_function *decode;
} families[] = {
	{ "mov", decode_mov },
	{ "ld", decode_ld },
	{ "ldu", decode_ld },
	{ "st", decode_st },
	{ "setp", decode_setp },
	{ "bra", decode_bra },
	{ "cvt", decode_cvt },
	{ "cvta", decode_cvta },
	{ "selp", decode_selp },
	{ "ret", decode_ret },
	{ "exit", decode_plain },
	{ "trap", decode_plain },
	{ "brkpt", decode_plain },
	{ "bar", decode_bar },
	{ "barrier", decode_bar },
	{ "atom", decode_atom },
	{ "red", decode_red },
	{ "shfl", decode_shfl },
	{ "vote", decode_vote },
	{ "match", decode_match },
	{ "redux", decode_redux },
	{ "activemask", decode_activemask },
	{ "elect", decode_elect },
	{ "membar", decode_fence },
	{ "fence", decode_fence },
	{ "call", decode_call },
	{ "brx", decode_brx },
	{ "nanosleep", decode_nanosleep },
	{ "prefetch", decode_nop },
	{ "prefetchu", decode_nop },
	{ "applypriority", decode_nop },
	{ "discard", decode_nop },
	{ "pmevent", decode_nop },
	{ "griddepcontrol", decode_nop },
	{ "createpolicy", decode_nop },
	{ "setmaxnreg", decode_nop },
	{ "set", decode_set },
	{ "lop3", decode_lop3 },
	{ "bfi", decode_bfi },
	{ "isspacep", decode_isspacep },
	{ "madc", decode_mad_carry },
	{ "mad", decode_mad_carry },
	{ "vabsdiff2", decode_video },
	{ "vabsdiff4", decode_video },
	{ "vadd2", decode_video },
	{ "vadd4", decode_video },
	{ "vsub2", decode_video },
	{ "vsub4", decode_video },
	{ "vmin2", decode_video },
	{ "vmin4", decode_video },
	{ "vmax2", decode_video },
	{ "vmax4", decode_video },
	{ "vavrg2", decode_video },
	{ "vavrg4", decode_video },
	{ "tex", decode_tex },
	{ "tld4", decode_tex },
	{ "txq", decode_image_query },
	{ "suq", decode_image_query },
	{ "suld", decode_surface },
	{ "sust", decode_surface },
	{ "sured", decode_surface },
	{ "wmma", decode_wmma },
	{ "mma", decode_mma },
	{ "ldmatrix", decode_ldmatrix },
	{ "stmatrix", decode_ldmatrix },
	{ "movmatrix", decode_movmatrix },
	{ "cp", decode_cp },
	{ "mbarrier", decode_mbarrier },
	{ "mapa", decode_mapa },
	{ "getctarank", decode_mapa },
	{ "alloca", decode_alloca },
	{ "stacksave", decode_alloca },
	{ "stackrestore", decode_alloca },
};

static decode_function *family_of(const char *opcode)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strcmp(families[i].opcode, opcode))
			return families[i].decode;
	return decode_alu;
}

static void take_form_apart(const struct ptx_instruction *in, struct form *f)
{
	char *at;
	size_t n = 0;

	/* A blank or comment may stand between the words. */
	for (size_t i = 0; i < in->form_len && n < sizeof(f->text) - 1; i++)
		if ((unsigned char)in->text[i] > ' ')
			f->text[n++] = in->text[i];
	f->text[n] = '\0';
	f->count = 0;
	f->opcode = f->text;
	for (at = strchr(f->text, '.'); at; at = strchr(at, '.')) {
		*at++ = '\0';
		if (f->count < FORM_MODIFIERS)
			f->modifiers[f->count++] = at;
	}
}

static void count_definitions(struct decoder *d, const struct ptx_operand *o, uint32_t instruction)
{
	if (o->kind == PTX_OPERAND_REGISTER) {
		d->definitions[o->index]++;
		d->defined_at[o->index] = instruction;
	} else if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR) {
		for (unsigned i = 0; i < o->count; i++)
			count_definitions(d, &o->elements[i], instruction);
	}
}

/* Never parks, splits, calls or ends lanes. */
static bool stays_in_line(const struct draft *t)
{
	return !t->jumps && !t->ends && !(t->id >= OP_shfl && t->id <= OP_elect) &&
	       !(t->id >= OP_bra && t->id <= OP_barrier);
}

/*
 * A guarded instruction: when it is one simple operation, that runs under a guard; else a branch
 * leads around it.
 */
static void apply_guard(struct decoder *d, const struct ptx_instruction *in, uint32_t start)
{
	struct draft *first;
	uint32_t made = d->draft_count - start - 1;

	first = &d->drafts[start];
	first->slot[SLOT_A] = (struct ref){ in->guard, REF_REGISTER };
	if (made == 1 && stays_in_line(&d->drafts[start + 1])) {
		first->id = in->guard_negated ? OP_guard_not : OP_guard;
		d->drafts[start + 1].partial = true;
		return;
	}
	first->id = in->guard_negated ? OP_bra_if : OP_bra_unless;
	first->jumps = true;
	first->imm = d->current + 1;
}

static void decode_instruction(struct decoder *d, const struct ptx_instruction *in)
{
	uint32_t start = d->draft_count;
	struct form f;
	int rc;

	take_form_apart(in, &f);
	d->problem[0] = '\0';
	if (in->guard != PTX_NONE && strcmp(f.opcode, "bra")) {
		decode_emit(d, OP_guard);
		if (d->registers[in->guard].class != PTX_CLASS_PREDICATE)
			decode_unknown(d, "the guard is no predicate register");
	}
	rc = family_of(f.opcode)(d, in, &f);
	if ((rc || d->problem[0]) && !d->out_of_memory) {
		struct ptx_call *why = mem_pool_alloc(&d->module->pool, sizeof(*why));

		d->draft_count = start;
		if (in->guard != PTX_NONE && strcmp(f.opcode, "bra"))
			decode_emit(d, OP_guard);
		if (why)
			why->name = mem_pool_strdup(&d->module->pool, d->problem);
		decode_emit(d, OP_unknown)->imm = (int64_t)(uintptr_t)why;
		d->drafts[d->draft_count - 1].ends = true;
	}
	if (in->guard != PTX_NONE && strcmp(f.opcode, "bra") && !d->out_of_memory)
		apply_guard(d, in, start);
}

static uint32_t resolve_ref(const struct decoder *d, const uint32_t *rows, struct ref r)
{
	if (r.kind == REF_REGISTER)
		return rows[r.index];
	if (r.kind == REF_CONSTANT)
		return d->constants[r.index].row;
	return r.kind == REF_RAW ? r.index : 0;
}

static void finish_op(struct decoder *d, const uint32_t *rows, const struct draft *from,
		      struct op *ops, struct op *to)
{
	const struct op_handlers *h = &d->handlers[from->id];
	uint32_t *fields[SLOTS] = {
		&to->d, &to->a, &to->b, &to->c, &to->x[0], &to->x[1], &to->x[2]
	};

	to->id = from->id;
	to->flags = from->flags;
	to->source = from->source;
	to->imm = from->imm;
	for (int i = 0; i < SLOTS; i++)
		*fields[i] = resolve_ref(d, rows, from->slot[i]);
	if (from->jumps) {
		to->target = ops + d->first_draft[from->imm];
		if (from->id == OP_bra && to->target <= to)
			to->id = OP_bra_back;
		h = &d->handlers[to->id];
	}
	if (from->targets) {
		uint32_t *list =
			mem_pool_array(&d->module->pool, from->target_count, sizeof(*list));

		if (!list) {
			d->out_of_memory = true;
			return;
		}
		for (uint32_t i = 0; i < from->target_count; i++)
			list[i] = d->first_draft[from->targets[i]];
		to->imm = (int64_t)(uintptr_t)list;
	}
	to->full = h->full;
	to->masked = h->masked;
	if ((from->id >= OP_ld_global_u8 && from->id <= OP_atom) ||
	    (from->id >= OP_matrix_load && from->id <= OP_mbarrier))
		to->cache = d->cache_count++;
}

static void list_formals(const struct ptx_body *b, uint32_t first, uint32_t count,
			 struct ptx_call_argument *to)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = (struct ptx_call_argument){ b->variables[first + i].offset,
						    b->variables[first + i].size };
}

static void list_constants(const struct decoder *d, struct ptx_program *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->constant_count; i++)
		if (d->constants[i].per_block)
			p->constants[n++] = d->constants[i];
	p->block_constant_count = n;
	for (uint32_t i = 0; i < d->constant_count; i++)
		if (!d->constants[i].per_block)
			p->constants[n++] = d->constants[i];
}

static struct ptx_program *finish(struct decoder *d)
{
	struct mem_pool *pool = &d->module->pool;
	struct ptx_program *p = mem_pool_alloc(pool, sizeof(*p));
	uint32_t *rows = calloc(d->register_count + 1, sizeof(*rows));
	size_t op_bytes = ((size_t)d->draft_count + 1) * sizeof(struct op);
	struct ptx_program *done = NULL;

	if (!p || !rows || ptx_allocate(d, rows, &p->frame_bytes))
		goto out;
	p->ops = p->memory = aligned_alloc(64, (op_bytes + 63) / 64 * 64);
	p->constants = mem_pool_array(pool, d->constant_count + 1, sizeof(*p->constants));
	p->formals = mem_pool_array(pool, d->body->formal_count + 1, sizeof(*p->formals));
	p->returns = mem_pool_array(pool, d->body->return_count + 1, sizeof(*p->returns));
	if (!p->ops || !p->constants || !p->formals || !p->returns) {
		free(p->memory);
		goto out;
	}
	memset(p->ops, 0, op_bytes);
	for (uint32_t i = 0; i < d->draft_count; i++)
		finish_op(d, rows, &d->drafts[i], p->ops, &p->ops[i]);
	if (d->out_of_memory) {
		free(p->memory);
		goto out;
	}
	list_constants(d, p);
	p->op_count = d->draft_count;
	p->constant_count = d->constant_count;
	p->cache_count = d->cache_count;
	p->function = d->function;
	p->calls = d->calls;
	p->local_bytes = d->body->local_bytes;
	p->param_area =
		d->function->is_kernel && !d->area ? 0 : (d->body->param_area + 15) / 16 * 16;
	p->formal_count = d->body->formal_count;
	p->return_count = d->body->return_count;
	list_formals(d->body, 0, p->formal_count, p->formals);
	list_formals(d->body, p->formal_count, p->return_count, p->returns);
	done = p;
out:
	free(rows);
	return done;
}

static void count_registers(struct decoder *d, const struct ptx_program *p)
{
	uint32_t rows = p->frame_bytes / (LANES * 4);

	d->function->registers = rows > 255 ? 255 : rows < 16 ? 16 : rows;
	d->function->local_size = p->local_bytes;
}

static int decode_body(struct decoder *d)
{
	struct ptx_body *b = d->body;

	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];
		bool stores = in->form_len >= 3 &&
			      (!memcmp(in->text, "st.", 3) || !memcmp(in->text, "red", 3));

		if (in->operand_count && !stores)
			count_definitions(d, &in->operands[0], i);
	}
	if (decode_find_loops(d))
		return -1;
	for (d->current = 0; d->current < b->instruction_count && !d->out_of_memory; d->current++) {
		d->first_draft[d->current] = d->draft_count;
		decode_instruction(d, &b->instructions[d->current]);
	}
	d->first_draft[b->instruction_count] = d->draft_count;
	d->current = b->instruction_count ? b->instruction_count - 1 : 0;
	/* A body may end without `ret`. */
	decode_emit(d, OP_ret)->ends = true;
	if (d->out_of_memory || ptx_peephole(d) || ptx_turns(d) || ptx_chains(d))
		return -1;
	__atomic_store_n(&b->program, finish(d), __ATOMIC_RELEASE);
	return b->program ? 0 : -1;
}

int ptx_decode(struct ptx_function *f, struct error *err)
{
	struct decoder d = { .function = f,
			     .body = f->body,
			     .module = f->module,
			     .handlers = f->module->machine->handlers(),
			     .err = err };
	int rc = -1;

	d.register_count = f->body->register_count;
	d.register_cap = d.register_count + 64;
	d.registers = malloc(d.register_cap * sizeof(*d.registers));
	d.definitions = calloc(d.register_count + 1, sizeof(*d.definitions));
	d.defined_at = calloc(d.register_count + 1, sizeof(*d.defined_at));
	d.repeats = calloc(f->body->instruction_count + 1, sizeof(*d.repeats));
	d.aliases = calloc(d.register_count + 1, sizeof(*d.aliases));
	d.first_draft = calloc(f->body->instruction_count + 2, sizeof(*d.first_draft));
	if (d.registers && d.definitions && d.defined_at && d.repeats && d.aliases &&
	    d.first_draft) {
		memcpy(d.registers, f->body->registers, d.register_count * sizeof(*d.registers));
		rc = decode_body(&d);
	}
	if (rc)
		error_set(err, ERROR_MEMORY, "out of memory while decoding `%s`", f->name);
	else
		count_registers(&d, f->body->program);
	free(d.registers);
	free(d.definitions);
	free(d.defined_at);
	free(d.repeats);
	free(d.aliases);
	free(d.first_draft);
	free(d.drafts);
	free(d.constants);
	free(d.constant_hash);
	return rc;
}
