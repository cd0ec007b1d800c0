/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source places of instructions: the `.loc file line column, function_name label, inlined_at file
 * line column` lines that `-lineinfo` makes give the whole chain of inlined calls at no cost at run
 * time.
 */
#ifndef CGPU_EMULATOR_PTX_LINES_H
#define CGPU_EMULATOR_PTX_LINES_H

#include <stddef.h>
#include <stdint.h>

struct ptx_module;
struct ptx_parser;

/* One place of source in a chain of inlined calls. */
struct ptx_lines_frame {
	char function[96]; /* source name as far as it can be told, else the mangled one */
	char symbol[160];  /* the mangled one; "" when it is longer */
	char file[160];
	uint32_t line, column;
};

/* The .loc directive whose word is taken becomes a location of the module. */
int ptx_lines_parse(struct ptx_parser *p);

/*
 * Fill frames[], innermost first, for the location index `loc` of an instruction of the function
 * `name`. Returns how many were filled; 0 when the module has no line information there.
 */
uint32_t ptx_lines_frames(const struct ptx_module *m, uint32_t loc, const char *name,
			  struct ptx_lines_frame *frames, uint32_t max);

/* "_Z5saxpyifPKfPf" -> "saxpy", "_ZN2cg4syncEv" -> "cg::sync", "_ZZ4tilePfE1a" -> "a"; other names
 * as they are. */
void ptx_lines_source_name(const char *mangled, char *ret, size_t size);

#endif
