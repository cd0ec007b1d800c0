/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses at which lines of cells begin, from what the loader remembers of units. All are safe in
 * signal handlers. */
#ifndef CGPU_RUNTIME_DEBUGGER_CODE_LINES_H
#define CGPU_RUNTIME_DEBUGGER_CODE_LINES_H

#include <stdint.h>

struct code_lines_visitor {
	void (*fn)(void *data, uint64_t address);
	void *data;
};

/* Visits where this line of a cell begins, once in each function that has it. The line is the next
 * one that has code, and that of a function's name is where its body begins. Nothing is visited
 * when there is no such line. */
void code_lines_each_start(uint32_t cell, uint32_t line, const struct code_lines_visitor *v);
/* Returns the next line of the cell, from `line` on, that has code of the host or of the device;
 * `line` when none is known. */
uint32_t code_lines_next(uint32_t cell, uint32_t line);
/* Visits where the lines of the function at this address begin, behind its prologue, but for one
 * line. */
void code_lines_each_of_function(uint64_t pc, uint32_t but, const struct code_lines_visitor *v);
/* Visits where the bodies of all functions of cells begin. */
void code_lines_each_body(const struct code_lines_visitor *v);
/* Returns the line in the cell; 0: not known. */
uint32_t code_lines_at(uint64_t pc);

#endif
