/* SPDX-License-Identifier: Apache-2.0 */
/* %%cuda_group_save, %cuda_group_run, %cuda_group_delete: a CUDA C++ program in several files, one
 * per cell. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/cuda-groups.h"
#include "kernel/device-magics/magic-cuda.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"

struct arguments {
	const char *group, *name;
	struct buffer rest; /* flags */
};

static void arguments_release(struct arguments *a)
{
	buffer_release(&a->rest);
}

#define cleanup_arguments __attribute__((cleanup(arguments_release)))

/* Returns the value of `--group=g`, `--group g` or `-g g`; NULL: the word is none of these. */
static const char *value_of(char *word, const char *letter, const char *name, char **args)
{
	size_t n = strlen(name);

	if (!strcmp(word, letter) || !strcmp(word, name))
		return magic_cuda_bare(magic_cuda_word(args));
	return !strncmp(word, name, n) && word[n] == '=' ? magic_cuda_bare(word + n + 1) : NULL;
}

static int read_arguments(const struct magic_call *call, struct arguments *ret, struct error *err)
{
	char *args = call->args, *word;
	const char *value;

	while (*(word = magic_cuda_word(&args)) || *args) {
		if ((value = value_of(word, "-g", "--group", &args)))
			ret->group = value;
		else if ((value = value_of(word, "-n", "--name", &args)))
			ret->name = value;
		else
			buffer_printf(&ret->rest, " %s", word);
	}
	if (!ret->group || !*ret->group)
		return error_set(err, ERROR_INPUT, "which group? %s", call->magic->usage);
	return buffer_check(&ret->rest, err);
}

static bool is_known(const char *suffix)
{
	static const char *const known[] = { ".cu", ".cuh", ".cpp", ".cc",  ".cxx", ".c",
					     ".h",  ".hpp", ".hxx", ".inc", ".inl" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(suffix, known[i]))
			return true;
	return false;
}

static int save(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_arguments struct arguments a = { .rest = BUFFER_INIT };
	const char *dot;

	(void)c;
	if (read_arguments(call, &a, err))
		return -1;
	dot = a.name ? strrchr(a.name, '.') : NULL;
	if (!dot || strchr(a.name, '/') || !is_known(dot))
		return error_set(
			err, ERROR_INPUT,
			"which file? A name that ends in .cu, .cuh, .cpp, .c, .h or .hpp: %s",
			call->magic->usage);
	return cuda_groups_save(&s->cuda_groups, a.group, a.name, call->body, err);
}

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer files = BUFFER_INIT;
	cleanup_arguments struct arguments a = { .rest = BUFFER_INIT };

	if (read_arguments(call, &a, err))
		return -1;
	if (!cuda_groups_write(&s->cuda_groups, a.group, &files))
		return error_set(err, ERROR_INPUT,
				 "there is no group %s: %%%%cuda_group_save --name FILE.cu --group "
				 "%s saves a cell to it",
				 a.group, a.group);
	buffer_printf(&c->behind, "\n%%%%cuda%s%s", buffer_text(&a.rest), buffer_text(&files));
	if (buffer_check(&files, err) || buffer_check(&c->behind, err))
		return -1;
	return magic_cuda_prepare(s, c, buffer_text(&a.rest), err);
}

static int delete_group(struct session *s, struct cell *c, const struct magic_call *call,
			struct error *err)
{
	cleanup_arguments struct arguments a = { .rest = BUFFER_INIT };

	(void)c;
	if (read_arguments(call, &a, err))
		return -1;
	if (!cuda_groups_delete(&s->cuda_groups, a.group))
		return error_set(err, ERROR_INPUT, "there is no group %s", a.group);
	return 0;
}

const struct magic magic_cuda_group_save = {
	.name = "cuda_group_save",
	.alias = "",
	.forms = MAGIC_CELL,
	.usage = "%%cuda_group_save -n FILE -g GROUP",
	.help = "Saves the cell as a file of a CUDA C++ program in several files.\n\n"
		"Those of the group `shared` belong to every group.",
	.run = save,
};

const struct magic magic_cuda_group_run = {
	.name = "cuda_group_run",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%cuda_group_run -g GROUP [FLAGS]",
	.help = "Compiles the files of the group with nvcc and runs main().",
	.run = run,
};

const struct magic magic_cuda_group_delete = {
	.name = "cuda_group_delete",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%cuda_group_delete -g GROUP",
	.help = "Forgets the files of the group.",
	.run = delete_group,
};
