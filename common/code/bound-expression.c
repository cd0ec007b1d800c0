/* SPDX-License-Identifier: Apache-2.0 */
/* Names are bound by their order in the program. */
#include "common/code/bound-expression.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"

/* A program at work. */
struct running {
	struct bound_names names;
	uint64_t frame;
	bool (*read)(void *data, uint64_t address, void *ret, size_t len);
};

static bool are_bound(const struct bound_name *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (names[i].place == BOUND_NOWHERE)
			return false;
	return true;
}

static void put_names(const struct bound_name *names, uint32_t n, struct buffer *out)
{
	record_put_u32(out, n);
	for (uint32_t i = 0; i < n; i++) {
		record_put_u8(out, (uint8_t)names[i].place);
		record_put_u64(out, names[i].value);
	}
}

bool bound_expression_put(const struct bound_names *names, const struct expression *e,
			  const void *program, size_t len, struct buffer *out)
{
	if (!are_bound(names->locals, e->n_locals) || !are_bound(names->variables, e->n_variables))
		return false;
	record_put_u64(out, names->address);
	put_names(names->locals, e->n_locals, out);
	put_names(names->variables, e->n_variables, out);
	record_put_bytes(out, program, len);
	return true;
}

/* Returns how many there are; what is beyond the table is passed over. */
static uint32_t take_names(struct record *r, struct bound_name *ret)
{
	uint32_t n = record_count(r, 9);

	for (uint32_t i = 0; i < n; i++) {
		struct bound_name one = { .place = (enum bound_place)record_u8(r) };

		one.value = record_u64(r);
		if (i < EXPRESSION_NAMES_MAX)
			ret[i] = one;
	}
	return n;
}

static bool find(const struct running *x, const struct bound_name *name, uint64_t *ret)
{
	*ret = name->value + (name->place == BOUND_IN_FRAME ? x->frame : 0);
	return name->place != BOUND_NOWHERE;
}

static bool local(void *data, uint32_t index, uint64_t *ret)
{
	const struct running *x = data;

	return find(x, &x->names.locals[index], ret);
}

static bool variable(void *data, uint32_t index, uint64_t *ret)
{
	const struct running *x = data;

	return find(x, &x->names.variables[index], ret);
}

static bool read_memory(void *data, uint64_t address, void *ret, size_t len)
{
	const struct running *x = data;

	return x->read(NULL, address, ret, len);
}

int bound_expression_is_true(const void *bytes, size_t len, uint64_t address, uint64_t frame,
			     bool (*read)(void *data, uint64_t address, void *ret, size_t len),
			     bool *ret, struct error *err)
{
	struct record r = record_open(bytes, len);
	struct running x = { .frame = frame, .read = read };
	const struct expression_host host = { local, variable, read_memory, &x };
	bool is_here = record_u64(&r) == address;
	uint32_t n_locals = take_names(&r, x.names.locals),
		 n_variables = take_names(&r, x.names.variables);
	struct expression_value v;
	struct expression e;
	size_t program_len;
	const char *program = record_bytes(&r, &program_len);

	if (record_check(&r, "a bound expression", err) ||
	    expression_open(program, program_len, &e, err))
		return -1;
	if (!is_here)
		return error_set(err, ERROR_STATE, "an expression of another place");
	if (e.n_locals != n_locals || e.n_variables != n_variables)
		return error_set(err, ERROR_PROTOCOL, "an expression whose names are not bound");
	if (expression_run(&e, &host, &v, err))
		return -1;
	*ret = expression_is_true(&e, &v);
	return 0;
}
