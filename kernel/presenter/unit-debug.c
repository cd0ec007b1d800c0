/* SPDX-License-Identifier: Apache-2.0 */
/* libdwfl places the sections of the object and applies its relocations; the rest is libdw's. */
#include "kernel/presenter/unit-debug.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/ipc.h"

struct unit_debug {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias;
	Dwarf_Die unit;
	bool has_unit;
};

/* Tells libdwfl to look for no separate debugging information. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int refuse(struct error *err)
{
	const char *why = dwfl_errmsg(-1);

	return error_set(err, ERROR_INPUT, "the debugging information of a cell cannot be read: %s",
			 why ? why : "unknown error");
}

static int open_object(struct unit_debug *d, int *fd, struct error *err)
{
	Dwarf_CU *cu = NULL;

	d->dwfl = dwfl_begin(&callbacks);
	if (!d->dwfl)
		return refuse(err);
	dwfl_report_begin(d->dwfl);
	d->module = dwfl_report_offline(d->dwfl, "unit", "unit", *fd);
	if (!d->module)
		return refuse(err);
	steal_fd(fd);
	dwfl_report_end(d->dwfl, NULL, NULL);
	d->dwarf = dwfl_module_getdwarf(d->module, &d->bias);
	if (!d->dwarf)
		return refuse(err);
	d->has_unit = !dwarf_get_units(d->dwarf, NULL, &cu, NULL, NULL, &d->unit, NULL);
	return d->has_unit ? 0 : refuse(err);
}

struct unit_debug *unit_debug_new(const void *object, size_t len, struct error *err)
{
	cleanup_fd int fd = ipc_memfd("cgpu-unit", object, len, err);
	struct unit_debug *d = fd < 0 ? NULL : calloc(1, sizeof(*d));

	if (fd < 0)
		return NULL;
	if (!d) {
		error_set(err, ERROR_MEMORY,
			  "out of memory for the debugging information of a cell");
		return NULL;
	}
	if (open_object(d, &fd, err)) {
		unit_debug_free(d);
		return NULL;
	}
	return d;
}

void unit_debug_free(struct unit_debug *d)
{
	if (!d)
		return;
	dwfl_end(d->dwfl);
	free(d);
}

uint64_t unit_debug_address(struct unit_debug *d, const char *function, uint32_t offset)
{
	int n = dwfl_module_getsymtab(d->module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(d->module, i, &symbol, &address, NULL, NULL, NULL);

		if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && !strcmp(name, function))
			return address + offset;
	}
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Tells whether the file belongs to the C++ library, the compiler, CUDA or cgpu: code that the user
 * has not written. */
static bool is_of_system(const char *path)
{
	static const char *const parts[] = { "/usr/", "/include/c++/", "/lib/clang/",
					     "/site-packages/", "/share/cgpu/" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *found = strstr(path, parts[i]);

		if (found && (i || found == path))
			return true;
	}
	return false;
}

/* Sets line, or file and file_line. */
static void set_place(const char *file, uint32_t number, const char *cell_name,
		      struct unit_place *ret)
{
	if (!strcmp(base_name(file), cell_name)) {
		ret->line = number;
	} else {
		ret->file = base_name(file);
		ret->file_line = number;
		ret->is_of_system = is_of_system(file);
	}
}

static void set_line(struct unit_debug *d, uint64_t address, const char *cell_name,
		     struct unit_place *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(&d->unit, address - d->bias);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number;

	if (file && !dwarf_lineno(line, &number) && number > 0)
		set_place(file, (uint32_t)number, cell_name, ret);
}

/* Sets the place where the inlined function was called. */
static void set_call(struct unit_debug *d, Dwarf_Die *inlined, const char *cell_name,
		     struct unit_place *ret)
{
	Dwarf_Word line, file;
	Dwarf_Attribute a;
	Dwarf_Files *files;
	const char *name;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &a), &line) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &a), &file) ||
	    dwarf_getsrcfiles(&d->unit, &files, NULL))
		return;
	name = dwarf_filesrc(files, file, NULL, NULL);
	if (name)
		set_place(name, (uint32_t)line, cell_name, ret);
}

/* Finds the blocks and functions around an address, innermost first, in the nesting of calls
 * instead of that of the text. */
static int scopes_at(struct unit_debug *d, uint64_t address, Dwarf_Die **ret)
{
	cleanup_free Dwarf_Die *in_text = NULL;

	*ret = NULL;
	if (!address || dwarf_getscopes(&d->unit, address - d->bias, &in_text) <= 0)
		return 0;
	return dwarf_getscopes_die(&in_text[0], ret);
}

unsigned unit_debug_places(struct unit_debug *d, const char *function, uint32_t offset,
			   const char *cell_name, struct unit_place *ret, unsigned max)
{
	uint64_t address = unit_debug_address(d, function, offset);
	cleanup_free Dwarf_Die *scopes = NULL;
	struct unit_place place = { 0 };
	int n = scopes_at(d, address, &scopes);
	unsigned stored = 0;

	if (address)
		set_line(d, address, cell_name, &place);
	for (int i = 0; i < n && stored < max; i++) {
		bool inlined = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;

		if (!inlined && dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		place.function = dwarf_diename(&scopes[i]);
		place.inlined = inlined;
		place.scope = scopes[i];
		ret[stored++] = place;
		if (!inlined)
			break;
		place = (struct unit_place){ 0 };
		set_call(d, &scopes[i], cell_name, &place);
	}
	return stored;
}

/* Returns the name of a variable or parameter; NULL for other entries, and without a name. */
static const char *variable_name(Dwarf_Die *entry)
{
	int tag = dwarf_tag(entry);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? dwarf_diename(entry)
									: NULL;
}

static bool child_named(Dwarf_Die *scope, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return false;
	do {
		const char *have = variable_name(&child);

		if (have && !strcmp(have, name)) {
			*ret = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool is_function(Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

bool unit_debug_variable(struct unit_debug *d, uint64_t address, unsigned place, const char *name,
			 Dwarf_Die *ret, bool *ret_global)
{
	cleanup_free Dwarf_Die *scopes = NULL;
	int n = scopes_at(d, address, &scopes);

	for (int i = 0; i < n; i++) {
		if (!place && child_named(&scopes[i], name, ret)) {
			*ret_global = dwarf_tag(&scopes[i]) == DW_TAG_compile_unit;
			return true;
		}
		/* A name in the text of an inlined function cannot mean a variable of its
		 * caller. */
		if (is_function(&scopes[i]) && !place--)
			break;
	}
	*ret_global = true;
	return unit_debug_global(d, name, ret);
}

#define NAMESPACES_MAX 16 /* one in the other */

/* Visits the variables of one block. False: no further ones are wanted. */
static bool each_child(Dwarf_Die *scope,
		       bool (*fn)(void *data, const char *name, Dwarf_Die *variable), void *data)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return true;
	do {
		const char *name = variable_name(&child);
		Dwarf_Die variable = child;

		if (name && !fn(data, name, &variable))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

void unit_debug_each_local(struct unit_debug *d, uint64_t address, unsigned place,
			   bool (*fn)(void *data, const char *name, Dwarf_Die *variable),
			   void *data)
{
	cleanup_free Dwarf_Die *scopes = NULL;
	int n = scopes_at(d, address, &scopes);

	for (int i = 0; i < n && dwarf_tag(&scopes[i]) != DW_TAG_compile_unit; i++) {
		if (!place && !each_child(&scopes[i], fn, data))
			return;
		if (is_function(&scopes[i]) && !place--)
			return;
	}
}

static bool each_in_namespace(Dwarf_Die *scope, unsigned depth,
			      bool (*fn)(void *data, const char *name, Dwarf_Die *variable),
			      void *data)
{
	Dwarf_Die child;

	if (!each_child(scope, fn, data))
		return false;
	if (depth == NAMESPACES_MAX || dwarf_child(scope, &child))
		return true;
	do {
		Dwarf_Die inner = child;

		if (dwarf_tag(&inner) == DW_TAG_namespace &&
		    !each_in_namespace(&inner, depth + 1, fn, data))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

void unit_debug_each_global(struct unit_debug *d,
			    bool (*fn)(void *data, const char *name, Dwarf_Die *variable),
			    void *data)
{
	each_in_namespace(&d->unit, 0, fn, data);
}

const char *unit_debug_symbol(Dwarf_Die *variable, const char *name)
{
	Dwarf_Attribute a;
	const char *symbol = dwarf_formstring(dwarf_attr(variable, DW_AT_linkage_name, &a));

	return symbol ? symbol : name;
}

bool unit_debug_section(struct unit_debug *d, uint64_t address, uint32_t *ret_index,
			uint64_t *ret_offset)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(d->module, &bias);
	Elf_Scn *section = elf ? dwfl_module_address_section(d->module, &address, &bias) : NULL;

	if (!section)
		return false;
	*ret_index = (uint32_t)elf_ndxscn(section);
	*ret_offset = address;
	return true;
}

bool unit_debug_global(struct unit_debug *d, const char *name, Dwarf_Die *ret)
{
	return child_named(&d->unit, name, ret);
}

bool unit_debug_unit(const struct unit_debug *d, Dwarf_Die *ret)
{
	*ret = d->unit;
	return d->has_unit;
}
