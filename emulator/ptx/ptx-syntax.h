/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax of a function body as the parser leaves it, private to emulator/ptx. Names are
 * resolved as far as scopes decide (registers, variables of the body, labels); module symbols stay
 * names until decoding, since PTX allows use before definition. All of it lives in the module's
 * pool.
 */
#ifndef CGPU_EMULATOR_PTX_SYNTAX_H
#define CGPU_EMULATOR_PTX_SYNTAX_H

#include <pthread.h>

#include "common/base/mem-pool.h"
#include "emulator/ptx/ptx-module.h"

enum ptx_operand_kind {
	PTX_OPERAND_REGISTER, /* index; negated for !p */
	PTX_OPERAND_INTEGER,  /* value */
	PTX_OPERAND_FLOAT,    /* value: bits, binary32 if single */
	PTX_OPERAND_SPECIAL,  /* %tid.x: name */
	PTX_OPERAND_VARIABLE, /* index of a body variable, + value */
	PTX_OPERAND_SYMBOL,   /* name of a module symbol or label, + value */
	PTX_OPERAND_ADDRESS,  /* [elements[0] + value]; more elements for textures */
	PTX_OPERAND_VECTOR,   /* {elements} */
	PTX_OPERAND_LIST,     /* (elements) */
	PTX_OPERAND_PAIR,     /* elements[0] | elements[1] */
	PTX_OPERAND_SINK,     /* _ */
};

struct ptx_operand {
	uint8_t kind;
	bool negated;
	bool single;
	uint16_t count; /* of elements */
	uint32_t index;
	union {
		const char *name;
		struct ptx_operand *elements;
	};
	uint64_t value;
};

#define PTX_NONE UINT32_MAX

struct ptx_instruction {
	const char *text; /* opcode and modifiers, e.g. "ld.global.v4.f32", form_len bytes; text_len
			     up to the ';' */
	uint16_t form_len, text_len;
	uint8_t operand_count;
	bool guard_negated;
	uint32_t guard; /* predicate register or PTX_NONE */
	uint32_t loc;   /* index in the module's locations or PTX_NONE */
	uint32_t scope;
	uint32_t line;
	struct ptx_operand *operands;
};

enum ptx_register_class { PTX_CLASS_PREDICATE, PTX_CLASS_32, PTX_CLASS_64, PTX_CLASSES };

struct ptx_register {
	uint8_t class; /* enum ptx_register_class */
	uint8_t bits;  /* 1, 8, 16, 32, 64 */
};

/* A .param, .local or .shared of a body. The formal parameters come first, then the return
 * parameters. */
struct ptx_body_variable {
	const char *name;
	enum ptx_space space;
	uint32_t size, align;
	uint32_t offset; /* in the frame's parameter area, the lane's local memory or the block's
			    shared memory */
	const struct ptx_variable *shared; /* the module variable for .shared */
};

struct ptx_label {
	const char *name;
	uint32_t scope;
	uint32_t position; /* instruction index */
};

/* name: .branchtargets labels; */
struct ptx_target_list {
	const char *name;
	const char **labels;
	uint32_t count;
};

struct ptx_location {
	uint32_t file, line, column;
	uint32_t function;   /* index of the name in the module's location names or PTX_NONE */
	uint32_t inlined_at; /* index of another location or PTX_NONE */
};

struct ptx_program; /* decoded form, emulator/ptx/ptx-program.h */

struct ptx_body {
	struct ptx_instruction *instructions;
	uint32_t instruction_count;
	uint32_t opening; /* location of its first .loc or PTX_NONE */
	struct ptx_register *registers;
	uint32_t register_count;
	struct ptx_body_variable *variables;
	uint32_t variable_count;
	uint32_t formal_count, return_count;
	struct ptx_label *labels; /* sorted by name */
	uint32_t label_count;
	struct ptx_target_list *target_lists;
	uint32_t target_list_count;
	uint32_t *scope_parent;
	uint32_t scope_count;
	uint32_t param_area; /* bytes a lane for parameters of a device function and of its calls */
	uint32_t local_bytes; /* of .local variables */
	struct ptx_program *program;
};

struct ptx_file {
	uint32_t number;
	const char *name;
};

struct ptx_string_label {
	const char *name;
	const char *text;
};

/* A .section .debug_...: what stands between its braces, in the module's text. */
struct ptx_section {
	const char *name;
	const char *text;
	size_t len;
};

struct ptx_module {
	struct mem_pool pool;
	const struct ptx_machine *machine;
	pthread_mutex_t lock;
	const char *text;
	uint64_t text_hash; /* 0: not made yet */
	unsigned version, target;
	struct ptx_function **functions;
	size_t function_count, function_cap;
	struct ptx_variable **variables;
	size_t variable_count, variable_cap;
	void **symbols; /* hash of both, see ptx-module.c */
	size_t symbol_cap;
	struct ptx_file *files;
	size_t file_count, file_cap;
	struct ptx_location *locations;
	size_t location_count, location_cap;
	const char *
		*location_names; /* labels until the end of loading, then the strings behind them */
	size_t location_name_count, location_name_cap;
	struct ptx_string_label *strings; /* of .section .debug_str */
	size_t string_count, string_cap;
	struct ptx_section *sections; /* of debugging information, in their order */
	size_t section_count, section_cap;
	bool debug; /* .target says so: its code is for a debugger, which wants to see each step */
	bool placed;
	bool plain; /* functions are decoded without ptx-peephole.c, an operation for each step */
};

/* Parser entry points, used by ptx_module_load(). */
struct error;
int ptx_parse_module(struct ptx_module *m, const char *text, size_t len, struct error *err);

#endif
