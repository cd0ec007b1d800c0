/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpkgconf's client is created for each question: .pc files may have been installed since the
 * last one, and its cache is not refreshed.
 */
#define _GNU_SOURCE
#include "compiler/packages/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <libpkgconf/libpkgconf.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/cuda/cuda-folders.h"
#include "common/text/allowed-flags.h"
#include "compiler/packages/package-index.h"

#define DEPTH_MAX 1000

struct known {
	const char *name, *pc, *apt;
};

static const struct known known[] = {
#define PACKAGE(name, pc, apt, header) { name, pc, apt },
#include "compiler/packages/packages.def"
};

struct cuda_library {
	const char *name, *libraries, *header, *pip;
};

static const struct cuda_library cuda_libraries[] = {
#define CUDA_LIBRARY(name, libraries, header, pip) { name, libraries, header, pip },
#include "compiler/packages/packages.def"
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

void package_release(struct package *p)
{
	free(p->version);
	free(p->cflags);
	link_libraries_release(&p->libraries);
	*p = (struct package){ 0 };
}

static const struct known *known_named(const char *name)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

/* ---- .pc files ---- */

static bool collect_complaint(const char *message, const pkgconf_client_t *client, const void *data)
{
	(void)client;
	buffer_puts((struct buffer *)data, message);
	return true;
}

struct pc_client {
	pkgconf_client_t *client;
	pkgconf_cross_personality_t *personality;
	struct buffer complaint;
};

static int pc_client_init(struct pc_client *c, struct error *err)
{
	buffer_init(&c->complaint);
	c->personality = pkgconf_cross_personality_default();
	c->client = pkgconf_client_new(collect_complaint, &c->complaint, c->personality);
	if (!c->client)
		return error_set(err, ERROR_MEMORY, "out of memory for pkg-config");
	pkgconf_client_set_flags(c->client, PKGCONF_PKG_PKGF_NO_UNINSTALLED);
	pkgconf_client_dir_list_build(c->client, c->personality);
	return 0;
}

static void pc_client_release(struct pc_client *c)
{
	if (c->client)
		pkgconf_client_free(c->client);
	buffer_release(&c->complaint);
}

/* Tells whether a flag is kept: folders that the compiler searches anyway are dropped, since naming
 * them would change the order of the search. */
static bool keep_cflag(const pkgconf_client_t *client, const pkgconf_fragment_t *fragment,
		       void *data)
{
	(void)data;
	return !pkgconf_fragment_has_system_dir(client, fragment);
}

static char *render(struct pc_client *c, pkgconf_list_t *list)
{
	pkgconf_list_t kept = PKGCONF_LIST_INITIALIZER;
	char *text;

	pkgconf_fragment_filter(c->client, &kept, list, keep_cflag, NULL);
	text = pkgconf_fragment_render(&kept, true, NULL);
	pkgconf_fragment_free(&kept);
	return text;
}

struct solving {
	struct pc_client *client;
	struct package *package;
	struct error *err;
	bool failed;
};

static int add_fragments(struct solving *s, const pkgconf_list_t *list)
{
	pkgconf_node_t *node;

	PKGCONF_FOREACH_LIST_ENTRY (list->head, node) {
		const pkgconf_fragment_t *f = node->data;
		char *argument = NULL;
		int failed;

		if (f->type ? asprintf(&argument, "-%c%s", f->type, f->data) < 0
			    : !(argument = strdup(f->data)))
			return error_set(s->err, ERROR_MEMORY, "out of memory for a package");
		failed = allowed_flags_check(ALLOWED_FLAGS_LINK, (const char *[]){ argument }, 1,
					     s->err) ||
			 link_libraries_add_argument(&s->package->libraries, argument, s->err);
		free(argument);
		if (failed)
			return -1;
	}
	return 0;
}

static bool take_solution(pkgconf_client_t *client, pkgconf_pkg_t *world, void *data, int depth)
{
	struct solving *s = data;
	pkgconf_list_t cflags = PKGCONF_LIST_INITIALIZER, libs = PKGCONF_LIST_INITIALIZER;
	const pkgconf_dependency_t *first =
		world->required.head ? world->required.head->data : NULL;

	if (pkgconf_pkg_cflags(client, world, &cflags, depth) == PKGCONF_PKG_ERRF_OK &&
	    pkgconf_pkg_libs(client, world, &libs, depth) == PKGCONF_PKG_ERRF_OK) {
		s->package->cflags = render(s->client, &cflags);
		s->package->version = strdup(first && first->match && first->match->version
						     ? first->match->version
						     : "");
		s->failed = (s->package->cflags &&
			     allowed_flags_check_line(ALLOWED_FLAGS_CLANG, s->package->cflags,
						      s->err)) ||
			    add_fragments(s, &libs);
	} else {
		s->failed = error_set(s->err, ERROR_INPUT, "%s",
				      buffer_text(&s->client->complaint)) != 0;
	}
	pkgconf_fragment_free(&cflags);
	pkgconf_fragment_free(&libs);
	return true;
}

static bool has_pc(struct pc_client *c, const char *pc)
{
	pkgconf_pkg_t *found = pkgconf_pkg_find(c->client, pc);

	if (found)
		pkgconf_pkg_unref(c->client, found);
	return found != NULL;
}

/* Resolves a .pc file. 1: there is none. */
static int solve(struct pc_client *c, const char *pc, struct package *ret, struct error *err)
{
	pkgconf_list_t queue = PKGCONF_LIST_INITIALIZER;
	struct solving s = { c, ret, err, false };
	bool solved;

	if (!has_pc(c, pc))
		return 1;
	pkgconf_queue_push(&queue, pc);
	solved = pkgconf_queue_apply(c->client, &queue, take_solution, DEPTH_MAX, &s);
	pkgconf_queue_free(&queue);
	if (!solved && !s.failed)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s.pc is there, but not all that it needs: %s", pc,
				 buffer_text(&c->complaint));
	if (!s.failed && (!ret->cflags || !ret->version))
		return error_set(err, ERROR_MEMORY, "out of memory for a package");
	return s.failed ? error_wrap(err, "%s.pc", pc) : 0;
}

static int not_found(const char *name, const struct known *k, struct error *err)
{
	if (k)
		return error_set(err, ERROR_NOT_FOUND,
				 "the package %s is not installed. In a shell: apt install %s",
				 name, k->apt);
	return error_set(err, ERROR_NOT_FOUND,
			 "there is no package %s: no %s.pc in the folders of pkg-config. `%%pkg -s "
			 "TEXT` searches what is installed. A -dev package of Debian brings the "
			 "file, often: apt install lib%s-dev",
			 name, name, name);
}

static int find_pc(const char *name, struct package *ret, struct error *err)
{
	const struct known *k = known_named(name);
	cleanup_free char *names = strdup(k ? k->pc : name);
	struct pc_client c = { 0 };
	int r = 1;
	char *rest = NULL;

	if (!names || pc_client_init(&c, err)) {
		pc_client_release(&c);
		return names ? -1 : error_set(err, ERROR_MEMORY, "out of memory for a package");
	}
	for (char *pc = strtok_r(names, " ", &rest); pc && r > 0; pc = strtok_r(NULL, " ", &rest))
		r = solve(&c, pc, ret, err);
	pc_client_release(&c);
	return r > 0 ? not_found(name, k, err) : r;
}

/* ---- CUDA's libraries ---- */

struct cuda_search {
	const struct cuda_library *library;
	struct package *ret;
	struct error *err;
	bool failed;
};

char *package_library_in(const char *root, const char *name)
{
	for (size_t i = 0; cuda_folders_libraries[i]; i++) {
		cleanup_free char *folder = NULL;
		char *path;

		if (asprintf(&folder, "%s/%s", root, cuda_folders_libraries[i]) < 0)
			return NULL;
		path = link_libraries_in(folder, name);
		if (path)
			return path;
	}
	return NULL;
}

static char *header_folder(const char *root, const char *header)
{
	static const char *const folders[] = { "include", "extras/CUPTI/include" };

	for (size_t i = 0; i < COUNT(folders); i++) {
		cleanup_free char *path = NULL;
		char *folder = NULL;

		if (asprintf(&folder, "%s/%s", root, folders[i]) < 0)
			return NULL;
		if (asprintf(&path, "%s/%s", folder, header) >= 0 && !access(path, R_OK))
			return folder;
		free(folder);
	}
	return NULL;
}

static int add_libraries(struct cuda_search *s, const char *root, bool *ret_found)
{
	cleanup_free char *names = strdup(s->library->libraries);
	char *rest = NULL;

	for (char *name = names ? strtok_r(names, " ", &rest) : NULL; name;
	     name = strtok_r(NULL, " ", &rest)) {
		cleanup_free char *path = NULL;

		if (link_libraries_is_always(name))
			continue;
		path = package_library_in(root, name);
		if (!path)
			path = package_library_in("/usr", name);
		/* The first is the library itself; it may contain the others. */
		if (!path && name == names) {
			link_libraries_release(&s->ret->libraries);
			return 0;
		}
		if (path && link_libraries_add_file(&s->ret->libraries, path, s->err))
			return -1;
	}
	*ret_found = names != NULL;
	return 0;
}

/* Looks into a folder. The header decides whether it is the right one; a failure ends the search,
 * too. */
static bool look_in(void *context, const char *root)
{
	struct cuda_search *s = context;
	cleanup_free char *include = header_folder(root, s->library->header);
	bool found = false;

	if (!include)
		return false;
	s->failed = add_libraries(s, root, &found) != 0;
	if (found && asprintf(&s->ret->cflags, "-isystem%s", include) < 0)
		s->failed = error_set(s->err, ERROR_MEMORY, "out of memory for a package") != 0;
	return found || s->failed;
}

static int find_cuda(const struct cuda_library *library, const char *cuda_root, struct package *ret,
		     struct error *err)
{
	struct cuda_search s = { .library = library, .ret = ret, .err = err };
	bool found = cuda_folders_find(library->name, cuda_root, look_in, &s);

	if (s.failed)
		return -1;
	if (!found)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s is not installed: %s and its library are neither in "
				 "$CUDA_HOME, nor beside nvcc, nor in the Python environment, nor "
				 "in /usr. In a shell: pip install %s",
				 library->name, library->header, library->pip);
	ret->version = strdup("");
	return ret->version ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a package");
}

/* ---- the questions ---- */

/* Finds OpenMP: a flag of the compiler and a library of LLVM of the same version. */
static int find_openmp(struct package *ret, struct error *err)
{
	static const char folder[] = CGPU_LLVM_LIBDIR;
	char *path = link_libraries_in(folder, "omp");
	int failed;

	if (!path)
		path = package_library_in("/usr", "omp");
	if (!path)
		return error_set(err, ERROR_NOT_FOUND,
				 "OpenMP's library (libomp.so) is not installed. In a shell: apt "
				 "install libomp-" CGPU_LLVM_MAJOR "-dev");
	failed = link_libraries_add_file(&ret->libraries, path, err);
	free(path);
	ret->cflags = strdup("-fopenmp");
	ret->version = strdup(CGPU_LLVM_MAJOR);
	if (!failed && (!ret->cflags || !ret->version))
		return error_set(err, ERROR_MEMORY, "out of memory for a package");
	return failed;
}

static int find_always(struct package *ret, struct error *err)
{
	ret->cflags = strdup("");
	ret->version = strdup("");
	return ret->cflags && ret->version
		       ? 0
		       : error_set(err, ERROR_MEMORY, "out of memory for a package");
}

int package_find(const char *name, const char *cuda_root, struct package *ret, struct error *err)
{
	struct package p = { 0 };
	int failed = -1;
	size_t i = 0;

	while (i < COUNT(cuda_libraries) && strcmp(cuda_libraries[i].name, name))
		i++;
	if (link_libraries_is_always(name))
		failed = find_always(&p, err);
	else if (!strcmp(name, "omp") || !strcmp(name, "openmp"))
		failed = find_openmp(&p, err);
	else if (i < COUNT(cuda_libraries))
		failed = find_cuda(&cuda_libraries[i], cuda_root, &p, err);
	else
		failed = find_pc(name, &p, err);
	if (failed) {
		package_release(&p);
		return -1;
	}
	*ret = p;
	return 0;
}

int package_link(const char *ldflags, struct package *ret, struct error *err)
{
	struct package p = { 0 };
	cleanup_free char *text = strdup(ldflags);
	char **words = NULL;
	int n = 0, failed = 0;

	if (!text || find_always(&p, err)) {
		package_release(&p);
		return text ? -1 : error_set(err, ERROR_MEMORY, "out of memory for a package");
	}
	if (pkgconf_argv_split(text, &n, &words))
		failed = error_set(err, ERROR_INPUT, "%s: a quote is not closed", ldflags);
	else
		failed = allowed_flags_check(ALLOWED_FLAGS_LINK, (const char *const *)words,
					     (size_t)n, err);
	for (int i = 0; i < n && !failed; i++) {
		/* -L and -l may have their value in the next word. */
		if (i + 1 < n && (!strcmp(words[i], "-L") || !strcmp(words[i], "-l"))) {
			cleanup_free char *both = NULL;

			if (asprintf(&both, "%s%s", words[i], words[i + 1]) < 0)
				failed =
					error_set(err, ERROR_MEMORY, "out of memory for a package");
			else
				failed = link_libraries_add_argument(&p.libraries, both, err);
			i++;
		} else {
			failed = link_libraries_add_argument(&p.libraries, words[i], err);
		}
	}
	if (words)
		pkgconf_argv_free(words);
	if (failed) {
		package_release(&p);
		return -1;
	}
	*ret = p;
	return 0;
}

struct listing {
	package_found *found;
	void *data;
};

/* Handles a package; false continues with the next. */
static bool list_one(const pkgconf_pkg_t *p, void *data)
{
	const struct listing *l = data;

	l->found(l->data, p->id, p->version ? p->version : "",
		 p->description ? p->description : "");
	return false;
}

int package_each(package_found *found, void *data, struct error *err)
{
	struct pc_client c = { 0 };
	struct listing l = { found, data };
	char text[PACKAGE_NAME_MAX + 64];

	if (pc_client_init(&c, err)) {
		pc_client_release(&c);
		return -1;
	}
	pkgconf_scan_all(c.client, &l, list_one);
	pc_client_release(&c);
	for (size_t i = 0; i < COUNT(known); i++) {
		snprintf(text, sizeof(text), "stands for %s", known[i].pc);
		if (strcmp(known[i].name, known[i].pc) != 0)
			found(data, known[i].name, "", text);
	}
	for (size_t i = 0; i < COUNT(cuda_libraries); i++) {
		snprintf(text, sizeof(text), "CUDA: %s (pip install %s)", cuda_libraries[i].header,
			 cuda_libraries[i].pip);
		found(data, cuda_libraries[i].name, "", text);
	}
	return 0;
}

struct search {
	const char *text;
	struct buffer *out;
};

static void put_match(void *data, const char *name, const char *version, const char *text)
{
	const struct search *s = data;

	if (strcasestr(name, s->text) || strcasestr(text, s->text))
		buffer_printf(s->out, "%-24s %-10s %s\n", name, version, text);
}

int package_search(const char *text, struct buffer *out, struct error *err)
{
	struct search s = { text, out };

	return package_each(put_match, &s, err) || buffer_check(out, err) ? -1 : 0;
}

bool package_is_known(const char *name)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (!strcmp(known[i].name, name) || !strcmp(known[i].pc, name))
			return true;
	return false;
}

int package_who_has(const char *names, struct buffer *out, struct error *err)
{
	cleanup_free char *text = strdup(names);
	char *rest = NULL;

	if (!text)
		return error_set(err, ERROR_MEMORY, "out of memory for a package");
	for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		char package[PACKAGE_NAME_MAX], library[PACKAGE_NAME_MAX];

		if (package_index_symbol(name, package, library))
			buffer_printf(out, "'%s' is in %s: add `%%pkg %s` to a cell.\n", name,
				      library, package);
	}
	return buffer_check(out, err);
}

/* Tells whether a header is the known one, or in the same folder: gsl/gsl_math.h stands for all of
 * gsl/. */
static bool brings(const char *known_header, const char *header)
{
	const char *slash = strchr(known_header, '/');

	return *known_header &&
	       (!strcmp(known_header, header) ||
		(slash && !strncmp(known_header, header, (size_t)(slash + 1 - known_header))));
}

const char *package_of_header(const char *header, const char **ret_install)
{
	static const struct {
		const char *name, *header, *install;
	} all[] = {
		{ "omp", "omp.h", "apt install libomp-" CGPU_LLVM_MAJOR "-dev" },
#define PACKAGE(name, pc, apt, header) { name, header, "apt install " apt },
#define CUDA_LIBRARY(name, libraries, header, pip) { name, header, "pip install " pip },
#include "compiler/packages/packages.def"
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		if (brings(all[i].header, header)) {
			*ret_install = all[i].install;
			return all[i].name;
		}
	}
	return NULL;
}
