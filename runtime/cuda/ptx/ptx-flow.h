/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a PTX module as who follows values through it needs it: functions with their
 * parameters, and one instruction after the other with the names in its operands. Nothing is
 * resolved, and all slices are of the text.
 *
 *	struct ptx_flow f;
 *	ptx_flow_init(&f, text, len);
 *	if (!ptx_flow_functions(&f)) for each f.functions[i]:
 *		ptx_flow_body(&f, i, &visitor, data)
 *	ptx_flow_release(&f);
 */
#ifndef CGPU_RUNTIME_CUDA_PTX_PTX_FLOW_H
#define CGPU_RUNTIME_CUDA_PTX_PTX_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_FLOW_NAMES 136 /* wgmma has a vector of 128 */
#define PTX_FLOW_OPERANDS 8
#define PTX_FLOW_MODIFIERS 16

struct ptx_slice {
	const char *text;
	uint32_t len;
};

struct ptx_flow_parameter {
	struct ptx_slice name;
	uint32_t size; /* bytes */
};

struct ptx_flow_function {
	struct ptx_slice name;
	bool is_entry;
	const char *body; /* behind its `{`; NULL: it is declared only */
	uint32_t line;    /* of that place */
	uint32_t first_parameter, n_parameters;
	uint32_t first_return, n_returns;
};

struct ptx_flow {
	const char *text, *end;
	struct ptx_flow_function *functions;
	size_t n_functions, functions_cap;
	struct ptx_flow_parameter *parameters; /* of all functions, results too */
	size_t n_parameters, parameters_cap;
};

struct ptx_flow_operand {
	uint32_t n;
	bool address; /* [...] */
	bool list;    /* (...) */
	bool has_number;
	uint64_t number; /* without names; else what is added to them */
	struct ptx_slice names[PTX_FLOW_NAMES];
};

struct ptx_flow_instruction {
	struct ptx_slice opcode;
	struct ptx_slice modifiers[PTX_FLOW_MODIFIERS]; /* without the dot */
	uint32_t n_modifiers;
	struct ptx_flow_operand operands[PTX_FLOW_OPERANDS];
	uint32_t n;
};

enum ptx_flow_space { PTX_FLOW_REG, PTX_FLOW_PARAM, PTX_FLOW_MEMORY };

/* Either call ends the visit with another result than 0. */
struct ptx_flow_visitor {
	int (*declare)(void *data, enum ptx_flow_space space, struct ptx_slice name);
	int (*instruction)(void *data, const struct ptx_flow_instruction *i);
};

#define PTX_FLOW_NOT_UNDERSTOOD (-2)

void ptx_flow_init(struct ptx_flow *f, const char *text, size_t len);
void ptx_flow_release(struct ptx_flow *f);
/* Find the functions. -1: out of memory; PTX_FLOW_NOT_UNDERSTOOD. */
int ptx_flow_functions(struct ptx_flow *f);
/* NULL when there is none of the name; of several the one with a body. */
const struct ptx_flow_function *ptx_flow_function(const struct ptx_flow *f, struct ptx_slice name);
/* Visit what stands in a body, in the order of the text. What a visitor has returned, or
 * PTX_FLOW_NOT_UNDERSTOOD. */
int ptx_flow_body(const struct ptx_flow *f, const struct ptx_flow_function *function,
		  const struct ptx_flow_visitor *v, void *data);

bool ptx_slice_is(struct ptx_slice s, const char *text);
/* "f16x2" -> 32, "b128" -> 128, "wide" -> 0 */
uint32_t ptx_flow_type_bits(struct ptx_slice word);
bool ptx_flow_type_is_float(struct ptx_slice word);

#endif
