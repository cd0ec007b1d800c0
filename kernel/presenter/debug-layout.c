/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct is looked for by name and size, in namespaces and in classes, too. Structs inside it are
 * written in full; behind a pointer a struct is written without its members, as the compiler writes
 * it, so the code ends.
 */
#include "kernel/presenter/debug-layout.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/unit-debug.h"

#define DEPTH_MAX 12
#define PEEL_MAX 16
#define CODE_MAX 65536
#define LOOKED_AT_MAX 200000

static void put_type(Dwarf_Die *type, bool behind_pointer, unsigned depth, struct buffer *out);

/* Finds the type of a DIE without typedefs and qualifiers. False: void, or a broken entry. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &a), ret) &&
	       !dwarf_peel_type(ret, ret);
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned attribute, Dwarf_Word otherwise)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &a) && !dwarf_formudata(&a, &value) ? value : otherwise;
}

/* Goes to the next entry; not when the code is longer than any that is used, as one that leads back
 * to itself makes it. */
static bool goes_on(Dwarf_Die *child, const struct buffer *out)
{
	return out->len <= CODE_MAX && !out->failed && !dwarf_siblingof(child, child);
}

/* ---- kinds of types ---- */

static void put_number(Dwarf_Die *type, struct buffer *out)
{
	const char *name = dwarf_diename(type);
	uint64_t size = size_of(type);

	if (name && (!strcmp(name, "char") || !strcmp(name, "char8_t"))) {
		buffer_putc(out, 'c');
		return;
	}
	if (name && !strcmp(name, "wchar_t")) {
		buffer_printf(out, "L%" PRIu64, size);
		return;
	}
	switch (number_of(type, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		buffer_putc(out, 'b');
		return;
	case DW_ATE_float:
		buffer_printf(out, "f%" PRIu64, size);
		return;
	case DW_ATE_complex_float:
		buffer_printf(out, "z%" PRIu64, size / 2);
		return;
	case DW_ATE_UTF:
		buffer_printf(out, "U%" PRIu64, size);
		return;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		buffer_printf(out, "i%" PRIu64, size);
		return;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		buffer_printf(out, "u%" PRIu64, size);
		return;
	default:
		buffer_printf(out, "?%" PRIu64, size);
	}
}

static void put_enum(Dwarf_Die *type, struct buffer *out)
{
	Dwarf_Die child;
	bool first = true;

	buffer_printf(out, "e%" PRIu64 "{", size_of(type));
	if (!dwarf_child(type, &child)) {
		do {
			Dwarf_Attribute a;
			Dwarf_Sword value;
			const char *name = dwarf_diename(&child);

			if (dwarf_tag(&child) != DW_TAG_enumerator || !name ||
			    dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &a), &value))
				continue;
			buffer_printf(out, "%s%s=%" PRId64, first ? "" : ",", name, (int64_t)value);
			first = false;
		} while (goes_on(&child, out));
	}
	buffer_putc(out, '}');
}

static void put_array(Dwarf_Die *type, bool behind_pointer, unsigned depth, struct buffer *out)
{
	bool is_vector = dwarf_hasattr(type, DW_AT_GNU_vector);
	Dwarf_Die child, element;

	if (!type_of(type, &element)) {
		buffer_puts(out, "?0");
		return;
	}
	if (!dwarf_child(type, &child)) {
		do {
			if (dwarf_tag(&child) == DW_TAG_subrange_type)
				buffer_printf(
					out, "%c%" PRIu64, is_vector ? 'x' : 'a',
					(uint64_t)number_of(
						&child, DW_AT_count,
						number_of(&child, DW_AT_upper_bound, UINT64_MAX) +
							1));
		} while (goes_on(&child, out));
	}
	put_type(&element, behind_pointer, depth + 1, out);
}

/* ---- structs ---- */

/* A name that a code cannot have is left out. That of an instance of a template has its arguments,
 * which tell it from others. */
static void put_name(const char *name, struct buffer *out)
{
	if (name && !name[strcspn(name, "@{}()")])
		buffer_puts(out, name);
}

/* Appends the place of a bit-field, and returns the offset of the unit that it lies in. */
static uint64_t bit_place(Dwarf_Die *member, uint64_t unit, struct buffer *place)
{
	uint64_t width = number_of(member, DW_AT_bit_size, 0),
		 at = number_of(member, DW_AT_data_bit_offset, UINT64_MAX), offset;

	if (at == UINT64_MAX) { /* as DWARF 3 has it: from the end of the unit */
		offset = debug_value_member_offset(member);
		at = unit * 8 - number_of(member, DW_AT_bit_offset, 0) - width;
	} else {
		offset = unit ? at / (unit * 8) * unit : 0;
		at -= offset * 8;
	}
	buffer_printf(place, "m%" PRIu64 ":%" PRIu64 ":", at, width);
	return offset;
}

static void put_member(Dwarf_Die *member, unsigned depth, struct buffer *out)
{
	cleanup_buffer struct buffer place = BUFFER_INIT;
	uint64_t offset = debug_value_member_offset(member);
	Dwarf_Die type;

	if (!type_of(member, &type))
		return;
	if (dwarf_hasattr(member, DW_AT_bit_size))
		offset = bit_place(member, size_of(&type), &place);
	if (out->len && out->data[out->len - 1] != '{')
		buffer_putc(out, ',');
	/* A class that this one is made from has no name as a member. */
	put_name(dwarf_diename(dwarf_tag(member) == DW_TAG_inheritance ? &type : member), out);
	buffer_printf(out, "@%" PRIu64 ":%s", offset, buffer_text(&place));
	put_type(&type, false, depth + 1, out);
}

/* Finds the type of template argument `number` of a class. */
static bool argument_of(Dwarf_Die *class, unsigned number, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (dwarf_child(class, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter && !number--)
			return type_of(&child, ret);
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Finds the type of a base class or member whose name begins with the mark; "": of the first. */
static bool marked_part(Dwarf_Die *class, const char *mark, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (dwarf_child(class, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&child, ret))
			continue;
		name = dwarf_diename(ret);
		if (!*mark || (name && !strncmp(name, mark, strlen(mark))))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Appends the code of a container of the C++ library; false: it is none. */
static bool put_container(Dwarf_Die *type, unsigned depth, struct buffer *out)
{
	static const struct {
		const char *name;
		char shape;
		const char *mark;
		unsigned from;
	} containers[] = {
#define CONTAINER(name, shape, mark, from) { name, shape, mark, from },
#include "common/code/containers.def"
#undef CONTAINER
	};
	const char *name = dwarf_diename(type);
	size_t len = name ? strcspn(name, "<") : 0, before = out->len;
	Dwarf_Die part, element;

	for (size_t i = 0; len && i < sizeof(containers) / sizeof(containers[0]); i++) {
		if (strlen(containers[i].name) != len || strncmp(name, containers[i].name, len) ||
		    !marked_part(type, containers[i].mark, &part) ||
		    !argument_of(containers[i].from ? &part : type, containers[i].from, &element))
			continue;
		buffer_printf(out, "k%" PRIu64 "%c(%s)", size_of(type), containers[i].shape,
			      containers[i].name);
		put_type(&element, false, depth + 1, out);
		if (type_code_skip(buffer_text(out) + before))
			return true;
		out->len = before;
	}
	return false;
}

/* Tells whether a class has no member, and none of its bases has one. */
static bool is_empty(Dwarf_Die *class, unsigned depth)
{
	Dwarf_Die child, base;

	if (dwarf_child(class, &child))
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_member && !dwarf_hasattr(&child, DW_AT_declaration))
			return false;
		if (tag == DW_TAG_inheritance &&
		    (depth > DEPTH_MAX || !type_of(&child, &base) || !is_empty(&base, depth + 1)))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

/* Appends the element that a base of a tuple holds, by its number. */
static void put_tuple_element(Dwarf_Die *head, uint64_t offset, unsigned depth, struct buffer *out)
{
	Dwarf_Die child, type;
	uint64_t number = 0;

	if (!argument_of(head, 0, &type) || dwarf_child(head, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_template_value_parameter) {
			number = number_of(&child, DW_AT_const_value, 0);
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	buffer_printf(out, "%s[%" PRIu64 "]@%" PRIu64 ":",
		      out->data[out->len - 1] == '{' ? "" : ",", number, offset);
	put_type(&type, false, depth + 1, out);
}

/* Appends the elements of a tuple: class _Tuple_impl of number i is made of _Head_base<i>, which
 * has the element, and of that of number i + 1. */
static void put_tuple(Dwarf_Die *class, uint64_t offset, unsigned depth, struct buffer *out)
{
	Dwarf_Die child, base;
	const char *name;

	for (int pass = 0; pass < 2 && depth <= DEPTH_MAX; pass++) {
		if (dwarf_child(class, &child))
			return;
		do {
			uint64_t at = offset + debug_value_member_offset(&child);

			if (dwarf_tag(&child) != DW_TAG_inheritance || !type_of(&child, &base))
				continue;
			name = dwarf_diename(&base);
			if (name && !pass && !strncmp(name, "_Head_base<", 11))
				put_tuple_element(&base, at, depth, out);
			else if (name && pass && !strncmp(name, "_Tuple_impl<", 12))
				put_tuple(&base, at, depth + 1, out);
		} while (goes_on(&child, out));
	}
}

/* Appends what a class of the C++ library stands for that is no container; false: it is none. */
static bool put_library_class(Dwarf_Die *type, unsigned depth, struct buffer *out)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die part;

	if (!name || !strchr(name, '<'))
		return false;
	if (!strncmp(name, "array<", 6) && marked_part(type, "", &part) &&
	    dwarf_tag(&part) == DW_TAG_array_type) {
		put_type(&part, false, depth + 1, out);
	} else if (!strncmp(name, "unique_ptr<", 11) &&
		   marked_part(type, "__uniq_ptr_data<", &part) && size_of(type) == 8 &&
		   argument_of(type, 0, &part)) {
		buffer_putc(out, 'p');
		put_type(&part, true, depth + 1, out);
	} else if (!strncmp(name, "shared_ptr<", 11) && marked_part(type, "__shared_ptr<", &part) &&
		   argument_of(type, 0, &part)) {
		buffer_printf(out, "s%" PRIu64 "(shared_ptr){ptr@0:p", size_of(type));
		put_type(&part, true, depth + 1, out);
		buffer_putc(out, '}');
	} else if (!strncmp(name, "tuple<", 6) && marked_part(type, "_Tuple_impl<", &part)) {
		buffer_printf(out, "s%" PRIu64 "(tuple){", size_of(type));
		put_tuple(type, 0, depth, out);
		buffer_putc(out, '}');
	} else {
		return false;
	}
	return true;
}

static bool is_empty_base(Dwarf_Die *inheritance)
{
	Dwarf_Die base;

	return type_of(inheritance, &base) && is_empty(&base, 0);
}

static bool is_pair(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return name && !strncmp(name, "pair<", 5);
}

static void put_record(Dwarf_Die *type, bool behind_pointer, unsigned depth, struct buffer *out)
{
	Dwarf_Die child;

	if (put_container(type, depth, out) || put_library_class(type, depth, out))
		return;
	buffer_printf(out, "%c%" PRIu64 "(", dwarf_tag(type) == DW_TAG_union_type ? 'n' : 's',
		      size_of(type));
	/* The elements of a map are told by this name. */
	put_name(is_pair(type) ? "pair" : dwarf_diename(type), out);
	buffer_putc(out, ')');
	if (behind_pointer || dwarf_hasattr(type, DW_AT_declaration))
		return;
	buffer_putc(out, '{');
	if (!dwarf_child(type, &child)) {
		do {
			int tag = dwarf_tag(&child);

			/* A static member is only declared here. */
			if ((tag == DW_TAG_member ||
			     (tag == DW_TAG_inheritance && !is_empty_base(&child))) &&
			    !dwarf_hasattr(&child, DW_AT_declaration))
				put_member(&child, depth, out);
		} while (goes_on(&child, out));
	}
	buffer_putc(out, '}');
}

static void put_pointer(Dwarf_Die *type, unsigned depth, struct buffer *out)
{
	Dwarf_Die target;

	buffer_putc(out, 'p');
	if (type_of(type, &target))
		put_type(&target, true, depth + 1, out);
	else
		buffer_putc(out, 'v');
}

static void put_type(Dwarf_Die *type, bool behind_pointer, unsigned depth, struct buffer *out)
{
	if (depth > DEPTH_MAX || out->len > CODE_MAX) {
		buffer_printf(out, "?%" PRIu64, size_of(type));
		return;
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		put_number(type, out);
		break;
	case DW_TAG_enumeration_type:
		put_enum(type, out);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		put_pointer(type, depth, out);
		break;
	case DW_TAG_subroutine_type:
		buffer_putc(out, 'F');
		break;
	case DW_TAG_array_type:
		put_array(type, behind_pointer, depth, out);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		put_record(type, behind_pointer, depth, out);
		break;
	default:
		buffer_printf(out, "?%" PRIu64, size_of(type));
	}
}

/* ---- the search ---- */

struct search {
	bool (*is_it)(const struct search *s, Dwarf_Die *die);
	const char *name;
	size_t len;
	uint64_t size;
	bool is_union;
	unsigned found, depth; /* how many there are in the outermost scope that has one */
	unsigned looked_at;
	Dwarf_Die at;
};

static bool is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_struct(const struct search *s, Dwarf_Die *die)
{
	const char *name = is_record(dwarf_tag(die)) ? dwarf_diename(die) : NULL;

	return name && !strncmp(name, s->name, s->len) && (!name[s->len] || name[s->len] == '<') &&
	       (dwarf_tag(die) == DW_TAG_union_type) == s->is_union &&
	       !dwarf_hasattr(die, DW_AT_declaration) && size_of(die) == s->size;
}

static bool is_variable(const struct search *s, Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_variable ? dwarf_diename(die) : NULL;

	return name && !strcmp(name, s->name) && !dwarf_hasattr(die, DW_AT_declaration);
}

static void search_scope(struct search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (++s->looked_at > LOOKED_AT_MAX)
			return;
		if (s->is_it(s, &child) && (!s->found || depth <= s->depth)) {
			s->found = s->found && depth == s->depth ? s->found + 1 : 1;
			s->depth = depth;
			s->at = child;
		}
		if (is_record(tag) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram)
			search_scope(s, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static bool search(struct search *s, struct unit_debug *d)
{
	Dwarf_Die unit;

	if (!unit_debug_unit(d, &unit))
		return false;
	search_scope(s, &unit, 0);
	return s->found == 1;
}

static bool put_checked(Dwarf_Die *type, struct buffer *out)
{
	size_t before = out->len;

	put_type(type, false, 0, out);
	if (out->len - before <= CODE_MAX && type_code_skip(buffer_text(out) + before))
		return true;
	out->len = before;
	return false;
}

bool debug_layout_put(struct unit_debug *d, const char *code, size_t len, struct buffer *out)
{
	const char *name = memchr(code, '(', len), *end = memchr(code, ')', len);
	struct search s = { .is_it = is_struct, .is_union = *code == 'n' };

	if (!name || !end || end <= name + 1)
		return false;
	s.name = name + 1;
	s.len = (size_t)(end - s.name);
	s.size = strtoull(code + 1, NULL, 10);
	return search(&s, d) && put_checked(&s.at, out);
}

bool debug_layout_put_variable(struct unit_debug *d, const char *name, struct buffer *out)
{
	struct search s = { .is_it = is_variable, .name = name };
	Dwarf_Die type;

	return search(&s, d) && type_of(&s.at, &type) && put_checked(&type, out);
}

bool debug_layout_put_type_of(Dwarf_Die *variable, struct buffer *out)
{
	Dwarf_Die type;

	return type_of(variable, &type) && put_checked(&type, out);
}
