/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of libraries and folders is made from all .pc files on first use, and again when one of
 * their folders has changed; symbols are looked up in the library files (libelf).
 */
#define _GNU_SOURCE
#include "compiler/packages/package-index.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>
#include <libpkgconf/libpkgconf.h>

#include "common/base/cleanup.h"
#include "compiler/packages/link-libraries.h"
#include "compiler/packages/packages.h"

struct row {
	char name[PACKAGE_NAME_MAX];
	char *path; /* a library, or a folder with headers */
};

struct rows {
	struct row *at;
	size_t n, cap;
};

static struct {
	uint64_t state; /* a hash of the folders with .pc files; 0: never read */
	struct rows libraries, folders;
} list;

static void rows_clear(struct rows *r)
{
	while (r->n)
		free(r->at[--r->n].path);
}

/* Tells whether a name is preferred, if several packages name one file: a name that %pkg knows by
 * itself, then the shortest. */
static bool is_better(const char *name, const char *than)
{
	bool known = package_is_known(name), other = package_is_known(than);

	return known != other ? known : strlen(name) < strlen(than);
}

/* Adds a row; path is taken over; NULL is accepted. A row without memory is left out. */
static void rows_add(struct rows *r, const char *name, char *path)
{
	for (size_t i = 0; path && i < r->n; i++) {
		if (strcmp(r->at[i].path, path))
			continue;
		if (is_better(name, r->at[i].name))
			snprintf(r->at[i].name, sizeof(r->at[i].name), "%s", name);
		free(path);
		return;
	}
	if (path && r->n == r->cap) {
		struct row *grown = realloc(r->at, (2 * r->cap + 64) * sizeof(*grown));

		if (grown) {
			r->at = grown;
			r->cap = 2 * r->cap + 64;
		}
	}
	if (!path || r->n == r->cap || strlen(name) >= PACKAGE_NAME_MAX) {
		free(path);
		return;
	}
	snprintf(r->at[r->n].name, sizeof(r->at[r->n].name), "%s", name);
	r->at[r->n++].path = path;
}

/* Finds the library of -lNAME, in the package's own -L and the system's folders. */
static char *find_library(const pkgconf_pkg_t *p, const char *name)
{
	pkgconf_node_t *node;
	char *path = NULL;

	if (link_libraries_is_always(name))
		return NULL;
	PKGCONF_FOREACH_LIST_ENTRY (p->libs.head, node) {
		const pkgconf_fragment_t *f = node->data;

		if (f->type == 'L' && !path)
			path = link_libraries_in(f->data, name);
	}
	return path ? path : package_library_in("/usr", name);
}

/* Adds a package; false continues with the next. */
static bool add_package(const pkgconf_pkg_t *p, void *data)
{
	pkgconf_node_t *node;

	(void)data;
	PKGCONF_FOREACH_LIST_ENTRY (p->libs.head, node) {
		const pkgconf_fragment_t *f = node->data;

		if (f->type == 'l')
			rows_add(&list.libraries, p->id, find_library(p, f->data));
	}
	PKGCONF_FOREACH_LIST_ENTRY (p->cflags.head, node) {
		const pkgconf_fragment_t *f = node->data;

		if (f->type == 'I' && strcmp(f->data, "/usr/include"))
			rows_add(&list.folders, p->id, strdup(f->data));
	}
	return false;
}

static uint64_t state_of(const pkgconf_client_t *client)
{
	pkgconf_node_t *node;
	uint64_t state = 1;

	PKGCONF_FOREACH_LIST_ENTRY (client->dir_list.head, node) {
		const pkgconf_path_t *folder = node->data;
		struct stat st;

		if (!stat(folder->path, &st))
			state = state * 31 + (uint64_t)st.st_mtim.tv_sec * 1000000000 +
				(uint64_t)st.st_mtim.tv_nsec;
	}
	return state;
}

static bool ignore_complaint(const char *message, const pkgconf_client_t *client, const void *data)
{
	(void)message;
	(void)client;
	(void)data;
	return true;
}

static void renew(void)
{
	pkgconf_cross_personality_t *personality = pkgconf_cross_personality_default();
	pkgconf_client_t *client = pkgconf_client_new(ignore_complaint, NULL, personality);
	uint64_t state;

	if (!client)
		return;
	pkgconf_client_dir_list_build(client, personality);
	state = state_of(client);
	if (state != list.state) {
		rows_clear(&list.libraries);
		rows_clear(&list.folders);
		pkgconf_scan_all(client, NULL, add_package);
		list.state = state;
	}
	pkgconf_client_free(client);
}

static bool section_defines(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *symbol)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym s;

	for (int i = 1; data && gelf_getsym(data, i, &s); i++) {
		const char *name = s.st_shndx == SHN_UNDEF
					   ? NULL
					   : elf_strptr(elf, header->sh_link, s.st_name);

		if (name && GELF_ST_BIND(s.st_info) != STB_LOCAL && !strcmp(name, symbol))
			return true;
	}
	return false;
}

static bool file_defines(const char *path, const char *symbol)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *section = NULL;
	bool found = false;

	while (elf && !found && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			found = section_defines(elf, section, &header, symbol);
	}
	elf_end(elf);
	return found;
}

bool package_index_symbol(const char *symbol, char ret_name[PACKAGE_NAME_MAX],
			  char ret_library[PACKAGE_NAME_MAX])
{
	const struct row *best = NULL;

	renew();
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < list.libraries.n; i++) {
		const struct row *r = &list.libraries.at[i];

		if ((!best || is_better(r->name, best->name)) && file_defines(r->path, symbol))
			best = r;
	}
	if (!best)
		return false;
	snprintf(ret_name, PACKAGE_NAME_MAX, "%s", best->name);
	snprintf(ret_library, PACKAGE_NAME_MAX, "%s", basename(best->path));
	return true;
}

bool package_index_header(const char *header, char ret_name[PACKAGE_NAME_MAX])
{
	const struct row *best = NULL;

	renew();
	for (size_t i = 0; i < list.folders.n; i++) {
		const struct row *r = &list.folders.at[i];
		cleanup_free char *path = NULL;

		if (asprintf(&path, "%s/%s", r->path, header) < 0)
			return false;
		if ((!best || is_better(r->name, best->name)) && !access(path, R_OK))
			best = r;
	}
	if (best)
		snprintf(ret_name, PACKAGE_NAME_MAX, "%s", best->name);
	return best != NULL;
}
