/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over definitions; PTX of compilers is nearly SSA, so most registers have one. */
#include "emulator/warp/register-value.h"

#include <stdio.h>
#include <string.h>

#define STEPS 400

static const struct {
	const char *ptx, *cuda;
	enum ptx_special special;
} specials[] = {
	{ "%tid.x", "threadIdx.x", PTX_SPECIAL_TID_X },
	{ "%tid.y", "threadIdx.y", PTX_SPECIAL_TID_Y },
	{ "%tid.z", "threadIdx.z", PTX_SPECIAL_TID_Z },
	{ "%ntid.x", "blockDim.x", PTX_SPECIAL_NTID_X },
	{ "%ntid.y", "blockDim.y", PTX_SPECIAL_NTID_Y },
	{ "%ntid.z", "blockDim.z", PTX_SPECIAL_NTID_Z },
	{ "%ctaid.x", "blockIdx.x", PTX_SPECIAL_CTAID_X },
	{ "%ctaid.y", "blockIdx.y", PTX_SPECIAL_CTAID_Y },
	{ "%ctaid.z", "blockIdx.z", PTX_SPECIAL_CTAID_Z },
	{ "%nctaid.x", "gridDim.x", PTX_SPECIAL_NCTAID_X },
	{ "%nctaid.y", "gridDim.y", PTX_SPECIAL_NCTAID_Y },
	{ "%nctaid.z", "gridDim.z", PTX_SPECIAL_NCTAID_Z },
	{ "%laneid", "%laneid", PTX_SPECIAL_LANEID },
	{ "%warpid", "%warpid", PTX_SPECIAL_WARPID },
	{ "%dynamic_smem_size", "%dynamic_smem_size", PTX_SPECIAL_DYNAMIC_SMEM_SIZE },
};

const char *special_register_name(const char *name)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (!strcmp(specials[i].ptx, name))
			return specials[i].cuda;
	return name;
}

/* ---- the text of an instruction ---- */

bool instruction_is(const struct ptx_instruction *in, const char *opcode)
{
	size_t len = strlen(opcode);

	return in->form_len >= len && !memcmp(in->text, opcode, len) &&
	       (in->form_len == len || in->text[len] == '.');
}

bool instruction_has(const struct ptx_instruction *in, const char *modifier)
{
	size_t len = strlen(modifier);

	for (size_t i = 0; i + len < in->form_len; i++)
		if (in->text[i] == '.' && !memcmp(in->text + i + 1, modifier, len) &&
		    (i + 1 + len == in->form_len || in->text[i + 1 + len] == '.'))
			return true;
	return false;
}

/* Bits of the type that ends at `end`; *ret_signed; 0: it is no integer. */
static uint32_t type_before(const struct ptx_instruction *in, size_t end, bool *ret_signed,
			    size_t *ret_begin)
{
	size_t begin = end;
	unsigned bits = 0;

	while (begin && in->text[begin - 1] != '.')
		begin--;
	*ret_begin = begin ? begin - 1 : 0;
	if (!begin || !strchr("subp", in->text[begin]) || in->text[begin] == 'p')
		return 0;
	*ret_signed = in->text[begin] == 's';
	for (size_t i = begin + 1; i < end; i++) {
		if (in->text[i] < '0' || in->text[i] > '9')
			return 0;
		bits = bits * 10 + (unsigned)(in->text[i] - '0');
	}
	return bits <= 64 ? bits : 0;
}

uint32_t instruction_bits(const struct ptx_instruction *in)
{
	bool is_signed;
	size_t begin;

	return type_before(in, in->form_len, &is_signed, &begin);
}

void instruction_operand_text(const struct ptx_instruction *in, uint32_t n, char *ret, size_t size)
{
	const char *at = in->text + in->form_len, *end = in->text + in->text_len;
	size_t used = 0;
	int depth = 0;

	for (; at < end && (n || depth); at++) {
		depth += (*at == '{' || *at == '[' || *at == '(') -
			 (*at == '}' || *at == ']' || *at == ')');
		n -= *at == ',' && !depth;
	}
	for (; at < end && *at != ',' && *at != ';' && *at != '+'; at++)
		if ((unsigned char)*at > ' ' && *at != '[' && *at != ']' && used + 1 < size)
			ret[used++] = *at;
	ret[used] = '\0';
}

/* ---- definitions ---- */

static bool contains(const struct ptx_operand *o, uint32_t index)
{
	if (o->kind == PTX_OPERAND_REGISTER)
		return o->index == index;
	if (o->kind != PTX_OPERAND_VECTOR && o->kind != PTX_OPERAND_PAIR &&
	    o->kind != PTX_OPERAND_LIST)
		return false;
	for (uint32_t i = 0; i < o->count; i++)
		if (contains(&o->elements[i], index))
			return true;
	return false;
}

static bool writes(const struct ptx_instruction *in, uint32_t index)
{
	static const char *const none[] = { "st",  "red",     "bra",       "brx",
					    "bar", "barrier", "nanosleep", "setp" };

	if (!in->operand_count || !contains(&in->operands[0], index))
		return false;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (instruction_is(in, none[i]))
			return false;
	return true;
}

void register_values_init(struct register_values *v, const struct warp *w, uint32_t lane)
{
	*v = (struct register_values){
		.warp = w, .function = w->frame->program->function, .lane = lane, .steps = STEPS
	};
}

const struct ptx_instruction *register_values_definition(const struct register_values *v,
							 uint32_t index)
{
	const struct ptx_body *b = v->function->body;
	const struct ptx_instruction *found = NULL;

	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];

		if (!writes(in, index))
			continue;
		if (found || in->guard != PTX_NONE)
			return NULL;
		found = in;
	}
	return found;
}

void register_values_assume(struct register_values *v, uint32_t index, uint64_t value)
{
	if (v->assumed_count == REGISTER_VALUES_ASSUMED)
		return;
	v->assumed[v->assumed_count].index = index;
	v->assumed[v->assumed_count++].value = value;
}

/* ---- values ---- */

static uint64_t cut(uint64_t v, uint32_t bits)
{
	return bits < 64 ? v & ((1ull << bits) - 1) : v;
}

static uint64_t extend(uint64_t v, uint32_t bits, bool is_signed)
{
	if (!is_signed || bits == 64 || !bits)
		return cut(v, bits);
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static bool convert(struct register_values *v, const struct ptx_instruction *in, uint64_t *ret)
{
	bool from_signed = false, to_signed = false;
	size_t begin;
	uint32_t from = type_before(in, in->form_len, &from_signed, &begin);
	uint32_t to = from ? type_before(in, begin, &to_signed, &begin) : 0;
	uint64_t a;

	if (!from || !to || instruction_has(in, "sat") ||
	    !register_values_get(v, &in->operands[1], &a))
		return false;
	*ret = cut(extend(a, from, from_signed), to);
	return true;
}

/* A parameter of a launch is its bytes; one of a called function lies where the caller has put it.
 */
static bool parameter(const struct register_values *v, const struct ptx_instruction *in,
		      uint64_t *ret)
{
	const struct ptx_operand *address = &in->operands[1];
	const struct ptx_operand *base = address->kind == PTX_OPERAND_ADDRESS && address->count == 1
						 ? address->elements
						 : NULL;
	const struct ptx_body *b = v->function->body;
	const struct machine_launch *l = v->warp->worker->launch->spec;
	uint32_t bytes = instruction_bits(in) / 8;
	const struct frame *f = v->warp->frame;
	const uint8_t *from;
	uint64_t offset;

	if (!base || base->kind != PTX_OPERAND_VARIABLE || base->index >= b->formal_count ||
	    !bytes || in->operands[0].kind != PTX_OPERAND_REGISTER)
		return false;
	offset = b->variables[base->index].offset + base->value + address->value;
	if (v->function->is_kernel ? offset + bytes > l->params_size
				   : offset + bytes > f->program->param_area)
		return false;
	from = v->function->is_kernel ? (const uint8_t *)l->params
				      : f->params + (uint64_t)v->lane * f->program->param_area;
	*ret = 0;
	memcpy(ret, from + offset, bytes);
	return true;
}

static uint64_t power(uint64_t v, uint64_t by, uint32_t bits)
{
	return by < bits ? v << by : 0;
}

static uint64_t shift_right(uint64_t v, uint64_t by, uint32_t bits, bool is_signed)
{
	if (by >= bits)
		return is_signed && (int64_t)v < 0 ? UINT64_MAX : 0;
	return is_signed ? (uint64_t)((int64_t)v >> by) : v >> by;
}

static bool divide(uint64_t a, uint64_t b, bool is_signed, bool rest, uint64_t *ret)
{
	if (!b || (is_signed && (int64_t)b == -1))
		return false;
	if (is_signed)
		*ret = (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	else
		*ret = rest ? a % b : a / b;
	return true;
}

static bool compute(struct register_values *v, const struct ptx_instruction *in, uint64_t *ret)
{
	bool is_signed = false, wide = instruction_has(in, "wide");
	size_t begin;
	uint32_t bits = type_before(in, in->form_len, &is_signed, &begin);
	uint64_t a, b = 0, c = 0;

	if (!bits || in->operand_count < 2 || instruction_has(in, "hi") ||
	    instruction_has(in, "sat") || instruction_has(in, "cc") ||
	    !register_values_get(v, &in->operands[1], &a) ||
	    (in->operand_count > 2 && !register_values_get(v, &in->operands[2], &b)) ||
	    (in->operand_count > 3 && !register_values_get(v, &in->operands[3], &c)))
		return false;
	a = extend(a, bits, is_signed);
	if (!instruction_is(in, "shl") && !instruction_is(in, "shr"))
		b = extend(b, bits, is_signed);
	if (instruction_is(in, "mov") || instruction_is(in, "cvta"))
		*ret = a;
	else if (instruction_is(in, "add"))
		*ret = a + b;
	else if (instruction_is(in, "sub"))
		*ret = a - b;
	else if (instruction_is(in, "mul"))
		*ret = a * b;
	else if (instruction_is(in, "mad"))
		*ret = a * b + c;
	else if (instruction_is(in, "shl"))
		*ret = power(a, b, bits);
	else if (instruction_is(in, "shr"))
		*ret = shift_right(a, b, bits, is_signed);
	else if (instruction_is(in, "and"))
		*ret = a & b;
	else if (instruction_is(in, "or"))
		*ret = a | b;
	else if (instruction_is(in, "xor"))
		*ret = a ^ b;
	else if (instruction_is(in, "neg"))
		*ret = -a;
	else if (instruction_is(in, "min"))
		*ret = is_signed ? ((int64_t)a < (int64_t)b ? a : b) : a < b ? a : b;
	else if (instruction_is(in, "max"))
		*ret = is_signed ? ((int64_t)a > (int64_t)b ? a : b) : a > b ? a : b;
	else if (!(instruction_is(in, "div") || instruction_is(in, "rem")) ||
		 !divide(a, b, is_signed, instruction_is(in, "rem"), ret))
		return false;
	*ret = cut(*ret, wide ? 2 * bits : bits);
	return true;
}

static bool get_register(struct register_values *v, uint32_t index, uint64_t *ret)
{
	const struct ptx_instruction *in;

	for (uint32_t i = 0; i < v->assumed_count; i++)
		if (v->assumed[i].index == index) {
			*ret = v->assumed[i].value;
			return true;
		}
	if (!v->steps)
		return false;
	v->steps--;
	in = register_values_definition(v, index);
	if (!in || in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER)
		return false;
	if (instruction_is(in, "ld"))
		return instruction_has(in, "param") && parameter(v, in, ret);
	if (instruction_is(in, "cvta") &&
	    (instruction_has(in, "shared") || instruction_has(in, "local")))
		return false;
	return instruction_is(in, "cvt") ? convert(v, in, ret) : compute(v, in, ret);
}

/* As the state space of the name has it. */
static bool get_symbol(const struct register_values *v, const struct ptx_operand *o, uint64_t *ret)
{
	const struct ptx_variable *s;

	if (o->kind == PTX_OPERAND_VARIABLE) {
		const struct ptx_body_variable *b = &v->function->body->variables[o->index];

		if (b->space != PTX_SPACE_SHARED && b->space != PTX_SPACE_LOCAL)
			return false;
		*ret = (b->space == PTX_SPACE_LOCAL ? v->warp->frame->local_base : 0) + b->offset +
		       o->value;
		return true;
	}
	s = ptx_module_variable(v->function->module, o->name);
	if (!s || (!s->address && s->space != PTX_SPACE_SHARED))
		return false;
	*ret = o->value + (s->space == PTX_SPACE_SHARED && s->is_extern
				   ? v->warp->worker->launch->dynamic_offset
				   : s->address);
	return true;
}

bool register_values_get(struct register_values *v, const struct ptx_operand *o, uint64_t *ret)
{
	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		return get_register(v, o->index, ret);
	case PTX_OPERAND_INTEGER:
		*ret = o->value;
		return true;
	case PTX_OPERAND_SPECIAL:
		for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
			if (!strcmp(specials[i].ptx, o->name)) {
				*ret = warp_special(v->warp, specials[i].special, v->lane);
				return true;
			}
		return false;
	case PTX_OPERAND_VARIABLE:
	case PTX_OPERAND_SYMBOL:
		return get_symbol(v, o, ret);
	default:
		return false;
	}
}
