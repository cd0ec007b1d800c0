/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instruction is told by its text alone: the opcode and the words between its dots. Most opcodes
 * have a fixed class in a table; loads and stores are told by their state space, everything else by
 * its type, and a type that is not floating-point counts as integer. Floating-point operations of a
 * matrix instruction come from its shape (2 * m * n * k for a warp), those of others from a table
 * by lane.
 */
#include "emulator/profile/instruction.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FORM_MAX 96

/* The form's words, each with a '.' in front and one behind the last: ".ld.global.f32.". */
struct words {
	char text[FORM_MAX + 2];
	char opcode[24];
};

static struct words words_of(const char *form, size_t len)
{
	struct words w = { ".", "" };
	size_t n = 1;

	for (size_t i = 0; i < len && n < FORM_MAX; i++)
		if ((unsigned char)form[i] > ' ')
			w.text[n++] = form[i];
	w.text[n++] = '.';
	w.text[n] = '\0';
	snprintf(w.opcode, sizeof(w.opcode), "%.*s", (int)strcspn(w.text + 1, "."), w.text + 1);
	return w;
}

static bool has(const struct words *w, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = w->text; (at = strstr(at, word)); at++)
		if (at[-1] == '.' && (at[len] == '.' || at[len] == ':'))
			return true;
	return false;
}

/* Opcodes whose class needs no look at the other words. */
static const struct {
	const char *opcode;
	enum instruction_class class;
} fixed[] = {
	{ "bra", INSTRUCTION_CONTROL },      { "brx", INSTRUCTION_CONTROL },
	{ "call", INSTRUCTION_CONTROL },     { "ret", INSTRUCTION_CONTROL },
	{ "exit", INSTRUCTION_CONTROL },     { "trap", INSTRUCTION_CONTROL },
	{ "brkpt", INSTRUCTION_CONTROL },    { "nanosleep", INSTRUCTION_CONTROL },
	{ "bar", INSTRUCTION_SYNC },         { "barrier", INSTRUCTION_SYNC },
	{ "membar", INSTRUCTION_SYNC },      { "fence", INSTRUCTION_SYNC },
	{ "mbarrier", INSTRUCTION_SYNC },    { "griddepcontrol", INSTRUCTION_SYNC },
	{ "shfl", INSTRUCTION_WARP },        { "vote", INSTRUCTION_WARP },
	{ "match", INSTRUCTION_WARP },       { "redux", INSTRUCTION_WARP },
	{ "activemask", INSTRUCTION_WARP },  { "elect", INSTRUCTION_WARP },
	{ "atom", INSTRUCTION_ATOMIC },      { "red", INSTRUCTION_ATOMIC },
	{ "tex", INSTRUCTION_TEXTURE },      { "tld4", INSTRUCTION_TEXTURE },
	{ "txq", INSTRUCTION_TEXTURE },      { "suld", INSTRUCTION_TEXTURE },
	{ "sust", INSTRUCTION_TEXTURE },     { "sured", INSTRUCTION_TEXTURE },
	{ "suq", INSTRUCTION_TEXTURE },      { "mma", INSTRUCTION_MATRIX },
	{ "ldmatrix", INSTRUCTION_SHARED },  { "stmatrix", INSTRUCTION_SHARED },
	{ "movmatrix", INSTRUCTION_MATRIX }, { "cvt", INSTRUCTION_CONVERT },
	{ "cvta", INSTRUCTION_MOVE },        { "mov", INSTRUCTION_MOVE },
	{ "prmt", INSTRUCTION_INTEGER },     { "sin", INSTRUCTION_SPECIAL },
	{ "cos", INSTRUCTION_SPECIAL },      { "ex2", INSTRUCTION_SPECIAL },
	{ "lg2", INSTRUCTION_SPECIAL },      { "tanh", INSTRUCTION_SPECIAL },
	{ "rcp", INSTRUCTION_SPECIAL },      { "sqrt", INSTRUCTION_SPECIAL },
	{ "rsqrt", INSTRUCTION_SPECIAL },    { "cp", INSTRUCTION_GLOBAL },
	{ "prefetch", INSTRUCTION_GLOBAL },  { "prefetchu", INSTRUCTION_GLOBAL },
	{ "pmevent", INSTRUCTION_OTHER },    { "alloca", INSTRUCTION_OTHER },
};

static enum instruction_class memory_class(const struct words *w)
{
	if (strstr(w->text, ".shared"))
		return INSTRUCTION_SHARED;
	if (has(w, "local"))
		return INSTRUCTION_LOCAL;
	if (strstr(w->text, ".param") || has(w, "const"))
		return INSTRUCTION_CONSTANT;
	return INSTRUCTION_GLOBAL;
}

static enum instruction_class arithmetic_class(const struct words *w)
{
	if (has(w, "f64"))
		return INSTRUCTION_FP64;
	if (has(w, "f16") || has(w, "f16x2") || has(w, "bf16") || has(w, "bf16x2"))
		return INSTRUCTION_FP16;
	if (has(w, "f32"))
		return INSTRUCTION_FP32;
	return INSTRUCTION_INTEGER;
}

enum instruction_class instruction_class_of(const char *form, size_t len)
{
	struct words w = words_of(form, len);

	if (!strcmp(w.opcode, "ld") || !strcmp(w.opcode, "st") || !strcmp(w.opcode, "ldu"))
		return memory_class(&w);
	if (!strcmp(w.opcode, "wmma"))
		return has(&w, "mma") ? INSTRUCTION_MATRIX : memory_class(&w);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcmp(fixed[i].opcode, w.opcode))
			return fixed[i].class;
	return arithmetic_class(&w);
}

/* ".m16n8k16." multiplies and adds m * n * k times. */
static uint32_t matrix_flops(const struct words *w)
{
	unsigned m, n, k;

	for (const char *at = w->text; (at = strstr(at, ".m")); at++)
		if (sscanf(at, ".m%un%uk%u", &m, &n, &k) == 3)
			return 2 * m * n * k;
	return 0;
}

struct instruction_flops instruction_flops_of(const char *form, size_t len)
{
	static const struct {
		const char *opcode;
		uint32_t n;
	} known[] = { { "add", 1 }, { "sub", 1 }, { "mul", 1 },  { "div", 1 },   { "fma", 2 },
		      { "mad", 2 }, { "rcp", 1 }, { "sqrt", 1 }, { "rsqrt", 1 }, { "sin", 1 },
		      { "cos", 1 }, { "ex2", 1 }, { "lg2", 1 },  { "tanh", 1 } };
	struct words w = words_of(form, len);
	enum instruction_class type = arithmetic_class(&w);
	uint32_t pairs = has(&w, "f16x2") || has(&w, "bf16x2") ? 2 : 1;

	if (instruction_class_of(form, len) == INSTRUCTION_MATRIX)
		return (struct instruction_flops){ 0, matrix_flops(&w) };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && type != INSTRUCTION_INTEGER; i++)
		if (!strcmp(known[i].opcode, w.opcode))
			return (struct instruction_flops){ known[i].n * pairs, 0 };
	return (struct instruction_flops){ 0, 0 };
}
