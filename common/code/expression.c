/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program comes from another process, so every index is checked while it runs. Temporaries,
 * which a reference may be bound to, lie in an area of the machine that has addresses of its own.
 */
#include "common/code/expression.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/record.h"

#define STACK_MAX 64
#define TEMPORARIES_MAX 64
#define NULL_PAGE 4096 /* where members of what a null pointer points to would be */
/* Addresses of temporaries; no process has memory here. */
#define TEMPORARIES 0xffffc0de00000000u

struct machine {
	const struct expression *expression;
	const struct expression_host *host;
	struct record code;
	uint64_t stack[STACK_MAX];
	size_t n;
	uint64_t slots[EXPRESSION_SLOTS_MAX];
	uint64_t temporaries[TEMPORARIES_MAX];
	size_t n_temporaries;
	struct error *err;
	bool failed;
};

static const size_t sizes[EXPRESSION_KINDS] = { 1, 2, 4, 8, 1, 2, 4, 8, 1, 4, 8 };

int expression_open(const void *bytes, size_t len, struct expression *ret, struct error *err)
{
	struct record r = record_open(bytes, len);
	struct expression e = { .type = record_str(&r), .type_code = record_str(&r) };

	e.kind = (enum expression_kind)record_u8(&r);
	e.n_locals = record_count(&r, 5);
	for (uint32_t i = 0; i < e.n_locals && i < EXPRESSION_NAMES_MAX; i++) {
		e.locals[i].name = record_str(&r);
		e.locals[i].line = record_u32(&r);
	}
	e.n_variables = e.n_locals > EXPRESSION_NAMES_MAX ? 0 : record_count(&r, 1);
	for (uint32_t i = 0; i < e.n_variables && i < EXPRESSION_NAMES_MAX; i++)
		e.variables[i] = record_str(&r);
	if (e.n_locals > EXPRESSION_NAMES_MAX || e.n_variables > EXPRESSION_NAMES_MAX)
		return error_set(err, ERROR_PROTOCOL, "an expression with too many names");
	e.code = record_bytes(&r, &e.code_len);
	if (record_check(&r, "an expression", err))
		return -1;
	if (e.kind > EXPRESSION_PLACE || e.code_len > EXPRESSION_CODE_MAX)
		return error_set(err, ERROR_PROTOCOL, "an expression of %zu bytes of kind %d",
				 e.code_len, (int)e.kind);
	*ret = e;
	return 0;
}

/* Remembers the first thing that goes wrong. */
static uint64_t fail(struct machine *m, enum error_code code, const char *why)
{
	if (!m->failed)
		error_set(m->err, code, "%s", why);
	m->failed = true;
	return 0;
}

static uint64_t malformed(struct machine *m)
{
	return fail(m, ERROR_PROTOCOL, "a malformed program of an expression");
}

static void push(struct machine *m, uint64_t word)
{
	if (m->n == STACK_MAX)
		fail(m, ERROR_LIMIT, "the expression is nested too deeply");
	else
		m->stack[m->n++] = word;
}

static uint64_t pop(struct machine *m)
{
	return m->n ? m->stack[--m->n] : malformed(m);
}

static double pop_float(struct machine *m)
{
	uint64_t bits = pop(m);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void push_float(struct machine *m, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	push(m, bits);
}

/* ---- values in memory ---- */

static uint64_t extend(uint64_t word, size_t size, bool is_signed)
{
	unsigned unused = (unsigned)(64 - 8 * size);

	return is_signed ? (uint64_t)((int64_t)(word << unused) >> unused)
			 : word << unused >> unused;
}

static uint64_t word_of(const unsigned char *bytes, enum expression_kind kind)
{
	uint64_t word = 0;
	double wide;
	float narrow;

	memcpy(&word, bytes, sizes[kind]);
	if (kind == EXPRESSION_F4) {
		memcpy(&narrow, bytes, sizeof(narrow));
		wide = narrow;
		memcpy(&word, &wide, sizeof(word));
	} else if (kind == EXPRESSION_BOOL) {
		word = word != 0;
	} else if (kind <= EXPRESSION_I8) {
		word = extend(word, sizes[kind], true);
	}
	return word;
}

static void store(uint64_t word, enum expression_kind kind, unsigned char ret[8])
{
	double wide;
	float narrow;

	memset(ret, 0, 8);
	memcpy(ret, &word, sizes[kind]);
	if (kind == EXPRESSION_F4) {
		memcpy(&wide, &word, sizeof(wide));
		narrow = (float)wide;
		memcpy(ret, &narrow, sizeof(narrow));
	}
}

static bool is_temporary(const struct machine *m, uint64_t address)
{
	return address >= TEMPORARIES && address - TEMPORARIES < 8 * m->n_temporaries;
}

/* Reads memory, or a temporary. */
static bool read_at(struct machine *m, uint64_t address, void *ret, size_t len)
{
	char why[80];

	if (is_temporary(m, address))
		memcpy(ret, &m->temporaries[(address - TEMPORARIES) / 8], len);
	else if (m->failed || !m->host->read(m->host->data, address, ret, len)) {
		snprintf(why, sizeof(why), "there is no memory at 0x%" PRIx64, address);
		fail(m, ERROR_INPUT,
		     address < NULL_PAGE ? "a pointer that is null is followed" : why);
	}
	return !m->failed;
}

static void load(struct machine *m, enum expression_kind kind)
{
	uint64_t address = pop(m);
	unsigned char bytes[8];

	if (read_at(m, address, bytes, sizes[kind]))
		push(m, word_of(bytes, kind));
}

static void spill(struct machine *m, enum expression_kind kind)
{
	unsigned char bytes[8];

	if (m->n_temporaries == TEMPORARIES_MAX) {
		fail(m, ERROR_LIMIT, "the expression needs too many temporaries");
		return;
	}
	store(pop(m), kind, bytes);
	memcpy(&m->temporaries[m->n_temporaries], bytes, sizeof(bytes));
	push(m, TEMPORARIES + 8 * m->n_temporaries++);
}

/* ---- operations ---- */

static void fit(struct machine *m, enum expression_kind kind)
{
	if (kind == EXPRESSION_F4)
		push_float(m, (float)pop_float(m));
	else if (kind == EXPRESSION_BOOL)
		push(m, pop(m) != 0);
	else if (kind != EXPRESSION_F8)
		push(m, extend(pop(m), sizes[kind], kind <= EXPRESSION_I8));
}

static uint64_t divide(struct machine *m, enum expression_operation op, uint64_t a, uint64_t b)
{
	if (!b)
		return fail(m, ERROR_INPUT, "division by zero");
	if (op == EXPRESSION_DIV_U)
		return a / b;
	if (op == EXPRESSION_REM_U)
		return a % b;
	/* The one quotient that does not fit wraps. */
	if (b == UINT64_MAX)
		return op == EXPRESSION_DIV_S ? -a : 0;
	return (uint64_t)(op == EXPRESSION_DIV_S ? (int64_t)a / (int64_t)b
						 : (int64_t)a % (int64_t)b);
}

static uint64_t shift(struct machine *m, enum expression_operation op, uint64_t a, uint64_t b)
{
	if (b > 63)
		return fail(m, ERROR_INPUT, "a shift by more bits than there are");
	if (op == EXPRESSION_SHL)
		return a << b;
	return op == EXPRESSION_SHR_U ? a >> b : (uint64_t)((int64_t)a >> b);
}

static uint64_t combine(struct machine *m, enum expression_operation op, uint64_t a, uint64_t b)
{
	switch (op) {
	case EXPRESSION_ADD:
		return a + b;
	case EXPRESSION_SUB:
		return a - b;
	case EXPRESSION_MUL:
		return a * b;
	case EXPRESSION_AND:
		return a & b;
	case EXPRESSION_OR:
		return a | b;
	case EXPRESSION_XOR:
		return a ^ b;
	case EXPRESSION_EQ:
		return a == b;
	case EXPRESSION_LT_S:
		return (int64_t)a < (int64_t)b;
	case EXPRESSION_LT_U:
		return a < b;
	case EXPRESSION_DIV_S:
	case EXPRESSION_DIV_U:
	case EXPRESSION_REM_S:
	case EXPRESSION_REM_U:
		return divide(m, op, a, b);
	default:
		return shift(m, op, a, b);
	}
}

static void combine_floats(struct machine *m, enum expression_operation op)
{
	double b = pop_float(m), a = pop_float(m);

	if (op == EXPRESSION_F_ADD)
		push_float(m, a + b);
	else if (op == EXPRESSION_F_SUB)
		push_float(m, a - b);
	else if (op == EXPRESSION_F_MUL)
		push_float(m, a * b);
	else if (op == EXPRESSION_F_DIV)
		push_float(m, a / b);
	else if (op == EXPRESSION_F_EQ)
		push(m, a == b);
	else if (op == EXPRESSION_F_LT)
		push(m, a < b);
	else
		push(m, a <= b);
}

/* A number that no integer has is the nearest one, and NaN is 0, as on the device. */
static uint64_t to_integer(double value, bool is_signed)
{
	if (isnan(value))
		return 0;
	if (is_signed) {
		if (value >= 0x1p63)
			return INT64_MAX;
		return value < -0x1p63 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)value;
	}
	if (value >= 0x1p64)
		return UINT64_MAX;
	return value <= -1 ? 0 : (uint64_t)value;
}

static void convert(struct machine *m, enum expression_operation op)
{
	switch (op) {
	case EXPRESSION_NEG:
		push(m, -pop(m));
		return;
	case EXPRESSION_NOT:
		push(m, ~pop(m));
		return;
	case EXPRESSION_IS_ZERO:
		push(m, !pop(m));
		return;
	case EXPRESSION_F_NEG:
		push_float(m, -pop_float(m));
		return;
	case EXPRESSION_S_TO_F:
		push_float(m, (double)(int64_t)pop(m));
		return;
	case EXPRESSION_U_TO_F:
		push_float(m, (double)pop(m));
		return;
	case EXPRESSION_F_TO_S:
		push(m, to_integer(pop_float(m), true));
		return;
	default: /* EXPRESSION_F_TO_U */
		push(m, to_integer(pop_float(m), false));
		return;
	}
}

static void push_variable(struct machine *m, bool is_local, uint32_t index)
{
	const struct expression *e = m->expression;
	uint64_t address = 0;
	char why[160];

	if (index >= (is_local ? e->n_locals : e->n_variables)) {
		malformed(m);
		return;
	}
	if (!(is_local ? m->host->local : m->host->variable)(m->host->data, index, &address)) {
		snprintf(why, sizeof(why), "the value of `%.100s` is not available here",
			 is_local ? e->locals[index].name : e->variables[index]);
		fail(m, ERROR_INPUT, why);
	}
	push(m, address);
}

static void jump(struct machine *m, uint32_t over, bool is_taken)
{
	if (over > (size_t)(m->code.end - m->code.at))
		malformed(m);
	else if (is_taken)
		m->code.at += over;
}

static void run_with_index(struct machine *m, enum expression_operation op, uint32_t index)
{
	switch (op) {
	case EXPRESSION_LOCAL:
	case EXPRESSION_VARIABLE:
		push_variable(m, op == EXPRESSION_LOCAL, index);
		return;
	case EXPRESSION_JUMP:
		jump(m, index, true);
		return;
	case EXPRESSION_JUMP_IF_ZERO:
		jump(m, index, !pop(m));
		return;
	default:
		break;
	}
	if (index >= EXPRESSION_SLOTS_MAX)
		malformed(m);
	else if (op == EXPRESSION_KEEP)
		m->slots[index] = pop(m);
	else
		push(m, m->slots[index]);
}

static void run_with_kind(struct machine *m, enum expression_operation op, uint8_t kind)
{
	if (kind >= EXPRESSION_KINDS)
		malformed(m);
	else if (op == EXPRESSION_LOAD)
		load(m, (enum expression_kind)kind);
	else if (op == EXPRESSION_SPILL)
		spill(m, (enum expression_kind)kind);
	else
		fit(m, (enum expression_kind)kind);
}

static void run_alone(struct machine *m, enum expression_operation op)
{
	uint64_t b;

	if (op == EXPRESSION_DROP) {
		pop(m);
	} else if (op >= EXPRESSION_F_ADD && op <= EXPRESSION_F_LE && op != EXPRESSION_F_NEG) {
		combine_floats(m, op);
	} else if (op == EXPRESSION_NEG || op == EXPRESSION_NOT || op == EXPRESSION_IS_ZERO ||
		   op >= EXPRESSION_F_ADD) {
		convert(m, op);
	} else {
		b = pop(m);
		push(m, combine(m, op, pop(m), b));
	}
}

static void step(struct machine *m)
{
	enum { NONE, KIND, INDEX, WORD };
	static const uint8_t operands[EXPRESSION_OPERATIONS] = {
#define OPERATION(name, operand) operand,
#include "common/code/expression.def"
#undef OPERATION
	};
	uint8_t op = record_u8(&m->code);

	if (op >= EXPRESSION_OPERATIONS)
		malformed(m);
	else if (operands[op] == WORD)
		push(m, record_u64(&m->code));
	else if (operands[op] == INDEX)
		run_with_index(m, op, record_u32(&m->code));
	else if (operands[op] == KIND)
		run_with_kind(m, op, record_u8(&m->code));
	else
		run_alone(m, op);
	if (m->code.failed)
		malformed(m);
}

int expression_run(const struct expression *e, const struct expression_host *host,
		   struct expression_value *ret, struct error *err)
{
	struct machine m = {
		.expression = e, .host = host, .code = record_open(e->code, e->code_len), .err = err
	};
	unsigned char bytes[8] = { 0 };
	uint64_t word;

	while (m.code.at < m.code.end && !m.failed)
		step(&m);
	word = pop(&m);
	if (e->kind == EXPRESSION_PLACE)
		read_at(&m, word, bytes, is_temporary(&m, word) ? sizeof(bytes) : 1);
	if (m.failed)
		return -1;
	*ret = (struct expression_value){ .word = word };
	if (e->kind == EXPRESSION_PLACE && is_temporary(&m, word)) {
		/* The object goes with the machine. */
		ret->size = sizeof(ret->bytes);
		memcpy(ret->bytes, bytes, ret->size);
	} else if (e->kind == EXPRESSION_PLACE) {
		ret->is_place = true;
		ret->address = word;
	} else {
		ret->size = sizes[e->kind];
		store(word, e->kind, ret->bytes);
	}
	return 0;
}

bool expression_is_true(const struct expression *e, const struct expression_value *v)
{
	double value;

	memcpy(&value, &v->word, sizeof(value));
	if (e->kind == EXPRESSION_F4 || e->kind == EXPRESSION_F8)
		return value != 0;
	return !v->is_place && v->word;
}
