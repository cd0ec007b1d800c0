/* SPDX-License-Identifier: Apache-2.0 */
/* %%cuda: the line is the compiler's, so there is nothing to do before the cell is compiled. */
#include "kernel/magics/magic.h"

static int cuda(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)s;
	(void)c;
	(void)call;
	(void)err;
	return 0;
}

const struct magic magic_cuda = {
	.name = "cuda",
	.alias = "cu",
	.forms = MAGIC_CELL | MAGIC_COMPILER,
	.usage = "%%cuda [FLAGS] [-c \"FLAGS\"] [--run-args \"ARGUMENTS\"]",
	.help = "The cell is a CUDA C++ file, compiled with nvcc: classes, templates, Thrust, the C++ library. If it has int main(),\n"
		"that is run with ARGUMENTS. FLAGS are nvcc's, for this cell.",
	.run = cuda,
};
