/* SPDX-License-Identifier: Apache-2.0 */
/* %cflags, %ldflags, %nvflags, %std, %opt: set how cells are compiled, from this cell on. Without
 * arguments they show the setting. */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/declarations/flags.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/packages.h"
#include "kernel/session/session.h"

/* Finds the option as a word or the beginning of one: -fopenmp, -fopenmp=libomp, not
 * -fopenmp-simd. */
static bool asks_for_openmp(const char *flags)
{
	for (const char *p = flags; (p = strstr(p, "-fopenmp")); p++)
		if ((p == flags || strchr(" \t", p[-1])) && strchr(" \t=", p[strlen("-fopenmp")]))
			return true;
	return false;
}

static int set(struct session *s, struct cell *c, const struct magic_call *call,
	       enum flags_kind kind, struct error *err)
{
	const char *text = !strcmp(call->args, "off") ? "" : call->args;

	if (*text && (kind == FLAGS_LINK || (kind == FLAGS_C && asks_for_openmp(text))))
		return packages_set(s, c, kind, text, err);
	if (*call->args && flags_set(&s->flags, kind, text, err))
		return -1;
	output_printf(&s->output, STREAM_STDOUT, "%s: %s\n", flags_name(kind),
		      *flags_get(&s->flags, kind) ? flags_get(&s->flags, kind) : "none");
	return 0;
}

static int cflags(struct session *s, struct cell *c, const struct magic_call *call,
		  struct error *err)
{
	return set(s, c, call, FLAGS_C, err);
}

const struct magic magic_cflags = {
	.name = "cflags",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%cflags [FLAGS|off]",
	.help = "Sets flags for the C code of this cell and all later ones.\n\n"
		"Such as `-ffast-math -DN=100 -Wno-unused-value`. With `-fopenmp` "
		"OpenMP's library is loaded, too.",
	.run = cflags,
	.words = "-O3 -g -Wall -Wextra -ffast-math -fopenmp -march=native off",
};

static int ldflags(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	return set(s, c, call, FLAGS_LINK, err);
}

const struct magic magic_ldflags = {
	.name = "ldflags",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%ldflags [-LDIR -lNAME FILE.so...]",
	.help = "Loads shared libraries as a linker would find them.\n\n"
		"A library that is loaded stays loaded.",
	.run = ldflags,
	.word = MAGIC_WORD_FILE,
};

static int nvflags(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	return set(s, c, call, FLAGS_DEVICE, err);
}

const struct magic magic_nvflags = {
	.name = "nvflags",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%nvflags [FLAGS|off]",
	.help = "Sets flags for the device code of this cell and all later ones.\n\n"
		"Such as `-use_fast_math -maxrregcount=64`.",
	.run = nvflags,
	.words = "-use_fast_math -maxrregcount= -lineinfo off",
};

static int standard(struct session *s, struct cell *c, const struct magic_call *call,
		    struct error *err)
{
	if (*call->args && !magic_has_word(call->magic, call->args))
		return error_set(err, ERROR_INPUT,
				 "%%std %s: the standards are c99, c11, c17, c23 and gnu99, gnu11, "
				 "gnu17, gnu23",
				 call->args);
	return set(s, c, call, FLAGS_STANDARD, err);
}

const struct magic magic_std = {
	.name = "std",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%std [gnu17|c11|...|off]",
	.help = "Sets the standard of C for this cell and all later ones; gnu17 unless "
		"set.",
	.run = standard,
	.words = "c99 gnu99 c11 gnu11 c17 gnu17 c2x gnu2x c23 gnu23 off",
};

static int level(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	if (*call->args && !magic_has_word(call->magic, call->args))
		return error_set(err, ERROR_INPUT,
				 "%%opt %s: the levels are 0, 1, 2, 3, g, s and z", call->args);
	return set(s, c, call, FLAGS_LEVEL, err);
}

const struct magic magic_opt = {
	.name = "opt",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%opt [0|1|2|3|g|s|z|off]",
	.help = "Sets how far the C code of this cell and all later ones is optimised.\n\n"
		"`off` is `-O2` without vectorising, for quick cells.",
	.run = level,
	.words = "0 1 2 3 g s z off",
};
