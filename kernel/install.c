/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the installed kernelspec folders, one for each language of cells; kernel.json gets the
 * path of the cgpu-listen beside this very program, and offers encryption only where libzmq has it.
 * The extension of JupyterLab is copied as it is.
 */
#include "kernel/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <zmq.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/settings/folders.h"
#include "kernel/settings/language.h"
#include "kernel/settings/paths.h"

#define PATH_SIZE 4096

static const char *const logos[] = { "logo-32x32.png", "logo-64x64.png", "logo-svg.svg", NULL };
/* What JupyterLab knows the extension by comes last: half of one is none. */
static const char *const extension[] = { "static/cgpu.js", "install.json", "package.json", NULL };

static int own_path(char *ret, size_t size, struct error *err)
{
	ssize_t n = readlink("/proc/self/exe", ret, size - 1);

	if (n < 0)
		return error_errno(err, "/proc/self/exe");
	ret[n] = '\0';
	return 0;
}

int install_find(const char *file, const char *relative, const char *otherwise, char *ret,
		 size_t size, struct error *err)
{
	char self[PATH_SIZE], path[3][PATH_SIZE + 64];
	char probe[PATH_SIZE + 128];

	if (own_path(self, sizeof(self), err))
		return -1;
	*strrchr(self, '/') = '\0';
	/* In an installation: bin/../RELATIVE. In a build folder: beside the program. */
	snprintf(path[0], sizeof(path[0]), "%.*s/../%s", PATH_SIZE - 1, self, relative);
	snprintf(path[1], sizeof(path[1]), "%s", self);
	snprintf(path[2], sizeof(path[2]), "%s", otherwise);
	for (int i = 0; i < 3; i++) {
		snprintf(probe, sizeof(probe), "%.*s/%.40s", PATH_SIZE + 64, path[i], file);
		if (!access(probe, R_OK) && strlen(path[i]) < size) {
			strcpy(ret, path[i]);
			return 0;
		}
	}
	return error_set(err, ERROR_NOT_FOUND,
			 "%s is neither in %s nor in %s; is cgpu installed completely?", file,
			 path[0], otherwise);
}

/* `kind` is "kernels" or "labextensions". */
static int target_folder(const char *prefix, const char *kind, const char *name, char *ret,
			 size_t size, struct error *err)
{
	const char *jupyter = getenv("JUPYTER_DATA_DIR"), *data = getenv("XDG_DATA_HOME"),
		   *home = getenv("HOME");
	int n;

	if (*prefix)
		n = snprintf(ret, size, "%s/share/jupyter/%s/%s", prefix, kind, name);
	else if (jupyter && *jupyter)
		n = snprintf(ret, size, "%s/%s/%s", jupyter, kind, name);
	else if (data && *data)
		n = snprintf(ret, size, "%s/jupyter/%s/%s", data, kind, name);
	else if (home && *home)
		n = snprintf(ret, size, "%s/.local/share/jupyter/%s/%s", home, kind, name);
	else
		return error_set(err, ERROR_NOT_FOUND, "HOME is not set; use --prefix FOLDER");
	return n < (int)size ? 0
			     : error_set(err, ERROR_INPUT, "the path of the folder is too long");
}

static int copy_file(const char *from, const char *to, const char *name, struct error *err)
{
	char path[2 * PATH_SIZE], data[16384];
	cleanup_file FILE *in = NULL, *out = NULL;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", from, name);
	in = fopen(path, "re");
	if (!in)
		return error_errno(err, "cannot read %s", path);
	snprintf(path, sizeof(path), "%s/%s", to, name);
	out = fopen(path, "we");
	if (!out)
		return error_errno(err, "cannot write %s", path);
	while ((n = fread(data, 1, sizeof(data), in)))
		if (fwrite(data, 1, n, out) != n)
			return error_errno(err, "cannot write %s", path);
	return fflush(out) ? error_errno(err, "cannot write %s", path) : 0;
}

static int copy_files(const char *from, const char *to, const char *const *names, struct error *err)
{
	for (; *names; names++)
		if (copy_file(from, to, *names, err))
			return -1;
	return 0;
}

static int write_spec(const char *from, const char *to, struct error *err)
{
	char path[2 * PATH_SIZE], folder[PATH_SIZE], program[PATH_SIZE + 16];
	cleanup_free char *real = NULL;
	json_error_t why;
	json_t *spec;
	int rc;

	if (install_find("cgpu-listen", "libexec/cgpu", PATHS_PKGLIBEXEC, folder, sizeof(folder),
			 err))
		return -1;
	snprintf(program, sizeof(program), "%s/cgpu-listen", folder);
	real = realpath(program, NULL);
	snprintf(path, sizeof(path), "%s/kernel.json", from);
	spec = json_load_file(path, 0, &why);
	if (!spec)
		return error_set(err, ERROR_INPUT, "%s: %s", path, why.text);
	json_array_set_new(json_object_get(spec, "argv"), 0, json_string(real ? real : program));
	if (!zmq_has("curve"))
		json_object_del(json_object_get(spec, "metadata"), "supported_encryption");
	snprintf(path, sizeof(path), "%s/kernel.json", to);
	rc = json_dump_file(spec, path, JSON_INDENT(1));
	json_decref(spec);
	return rc ? error_errno(err, "cannot write %s", path) : 0;
}

static int install_kernelspec(const char *prefix, const struct language *l, struct error *err)
{
	char from[PATH_SIZE], to[PATH_SIZE], relative[100], otherwise[PATH_SIZE];

	snprintf(relative, sizeof(relative), "share/cgpu/kernels/%s", l->kernelspec);
	snprintf(otherwise, sizeof(otherwise), "%s/kernels/%s", PATHS_PKGDATA, l->kernelspec);
	if (install_find("kernel.json", relative, otherwise, from, sizeof(from), err) ||
	    target_folder(prefix, "kernels", l->kernelspec, to, sizeof(to), err) ||
	    folders_make(to, 0777, err) || write_spec(from, to, err) ||
	    copy_files(from, to, logos, err))
		return -1;
	printf("The kernel \"%s\" is installed in %s\n", l->title, to);
	return 0;
}

static int install_extension(const char *prefix, struct error *err)
{
	char from[PATH_SIZE], to[PATH_SIZE], folder[PATH_SIZE + 16];

	if (install_find("package.json", "share/cgpu/labextension", PATHS_PKGDATA "/labextension",
			 from, sizeof(from), err) ||
	    target_folder(prefix, "labextensions", "cgpu", to, sizeof(to), err))
		return -1;
	snprintf(folder, sizeof(folder), "%s/static", to);
	if (folders_make(folder, 0777, err) || copy_files(from, to, extension, err))
		return -1;
	printf("CUDA's colours for JupyterLab are installed in %s\n", to);
	return 0;
}

int install_for_jupyter(const char *prefix, struct error *err)
{
	const struct language *l;

	for (size_t i = 0; (l = language_at(i)); i++)
		if (install_kernelspec(prefix, l, err))
			return error_wrap(err, "installing the kernelspec %s", l->kernelspec);
	if (install_extension(prefix, err))
		return error_wrap(err, "installing the extension of JupyterLab");
	puts("JupyterLab shows them at its next start; in a terminal: jupyter console --kernel "
	     "cgpu");
	return 0;
}
