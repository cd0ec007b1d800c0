/* SPDX-License-Identifier: Apache-2.0 */
/* %cd and %pwd: the working folder of cells, `!` commands and %%writefile. */
#include <limits.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/base/environment.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int show_folder(struct session *s, struct error *err)
{
	char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		return error_errno(err, "%%pwd: the folder is gone");
	output_printf(&s->output, STREAM_STDOUT, "%s\n", path);
	return 0;
}

static int cd(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const char *home = environment_get(supervisor_environment(s->supervisor), "HOME");
	const char *to = *call->args ? call->args : home ? home : "/";
	char path[PATH_MAX];
	const char *texts[] = { path, NULL };

	(void)c;
	if (chdir(to) || !getcwd(path, sizeof(path)))
		return error_errno(err, "%%cd %s", to);
	setup_add(&s->setup, "chdir", texts, "");
	supervisor_go_to(s->supervisor, path);
	return show_folder(s, err);
}

const struct magic magic_cd = {
	.name = "cd",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%cd [FOLDER]",
	.help = "Changes the folder in which cells, ! commands and %%writefile work; "
		"bare: home.",
	.run = cd,
	.word = MAGIC_WORD_FOLDER,
};

static int pwd(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)c;
	(void)call;
	return show_folder(s, err);
}

const struct magic magic_pwd = {
	.name = "pwd",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%pwd",
	.help = "Shows the folder that %cd changes.",
	.run = pwd,
};
