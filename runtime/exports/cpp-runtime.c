/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exception that nobody catches ends in std::terminate() before anything is unwound, so the
 * backtrace still shows where it was thrown. What it is stands in front of it in memory (Itanium
 * C++ ABI: Exception Handling, 2.2.1). Whether it is a std::exception, whose what() can be asked,
 * is answered by its type, a virtual function of std::type_info (libstdc++, <typeinfo>, in the
 * order of declaration).
 */
#include "runtime/exports/cpp-runtime.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/cell-mode.h"

struct type_info;

struct type_info_functions {
	void (*destroy[2])(struct type_info *);
	bool (*is_pointer)(const struct type_info *);
	bool (*is_function)(const struct type_info *);
	/* Would a handler for this type catch an object of type `thrown`? Moves *object to its part
	 * of this type. */
	bool (*do_catch)(const struct type_info *, const struct type_info *thrown, void **object,
			 unsigned outer);
};

struct type_info {
	const struct type_info_functions *functions;
	const char *name; /* mangled; `*` in front: compared by address */
};

/* std::exception */
struct exception {
	struct {
		void (*destroy[2])(struct exception *);
		const char *(*what)(const struct exception *);
	} const *functions;
};

struct cxa_exception {
	const struct type_info *type;
	void (*destroy)(void *);
	void (*unexpected)(void);
	void (*terminate)(void);
	struct cxa_exception *next;
	int handler_count;
	int handler_switch_value;
	const char *action_record;
	const char *language_specific_data;
	void *catch_temp;
	void *adjusted;
	struct _Unwind_Exception unwind; /* the thrown object follows */
};

/* std::rethrow_exception() throws this: it stands for an exception that several threads may hold.
 */
struct cxa_dependent_exception {
	void *primary; /* its object */
};

struct cxa_globals {
	struct cxa_exception *caught;
	unsigned uncaught;
};

static struct {
	struct cxa_globals *(*get_globals)(void);
	const struct type_info *exception_type;
	char *(*demangle)(const char *name, char *buffer, size_t *len, int *status);
	char streams; /* a std::ios_base::Init, which has no members */
} library;

/* The exception that std::terminate() is about; NULL: none. */
static const struct type_info *current(void **ret_object)
{
	struct cxa_exception *e = library.get_globals ? library.get_globals()->caught : NULL;

	if (!e)
		return NULL;
	*ret_object = e + 1;
	if (e->unwind.exception_class & 1) { /* "GNUCC++\1" */
		*ret_object = ((struct cxa_dependent_exception *)e)->primary;
		e = (struct cxa_exception *)*ret_object - 1;
	}
	return e->type;
}

static const char *what(const struct type_info *type, void *object)
{
	const struct exception *e;

	if (!library.exception_type ||
	    !library.exception_type->functions->do_catch(library.exception_type, type, &object, 1))
		return "";
	e = object;
	return e->functions->what(e);
}

/* std::string of libstdc++ */
static const char string_type[] = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

/* The text of a thrown object that is no std::exception but a number or a text. The codes are those
 * of the ABI for mangled names, 5.1.5.2. */
static const char *value_of(const char *type, const void *object, char *text, size_t size)
{
	*text = '\0';
	if (!strcmp(type, "i"))
		snprintf(text, size, "%d", *(const int *)object);
	else if (!strcmp(type, "j"))
		snprintf(text, size, "%u", *(const unsigned *)object);
	else if (!strcmp(type, "l") || !strcmp(type, "x"))
		snprintf(text, size, "%ld", *(const long *)object);
	else if (!strcmp(type, "m") || !strcmp(type, "y"))
		snprintf(text, size, "%lu", *(const unsigned long *)object);
	else if (!strcmp(type, "b"))
		snprintf(text, size, "%s", *(const bool *)object ? "true" : "false");
	else if (!strcmp(type, "c"))
		snprintf(text, size, "'%c'", *(const char *)object);
	else if (!strcmp(type, "f"))
		snprintf(text, size, "%g", *(const float *)object);
	else if (!strcmp(type, "d"))
		snprintf(text, size, "%g", *(const double *)object);
	else if (!strcmp(type, "PKc") || !strcmp(type, "Pc") ||
		 !strcmp(type, string_type)) /* begins with its pointer, too */
		return *(const char *const *)object ? *(const char *const *)object : "";
	return text;
}

static _Noreturn void on_terminate(void)
{
	cleanup_free char *name = NULL;
	char value[64];
	const char *id;
	void *object = NULL;
	const struct type_info *type = current(&object);
	const char *text;

	if (!type)
		host_fault_raise(FAULT_ABORTED,
				 "std::terminate() was called, without an exception: by the cell, "
				 "or for a std::thread that was neither joined nor detached");
	id = type->name + (*type->name == '*');
	text = what(type, object);
	if (!*text)
		text = value_of(id, object, value, sizeof(value));
	cell_mode_enter_library();
	name = !strcmp(id, string_type) ? strdup("std::string")
	       : library.demangle       ? library.demangle(id, NULL, NULL, NULL)
					: NULL;
	host_fault_raise(FAULT_UNCAUGHT_EXCEPTION, "%s%s%s", name ? name : type->name,
			 *text ? ": " : "", text);
}

void cpp_runtime_load(void)
{
	void *handle = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
	void (*(*set_terminate)(void (*)(void)))(void);
	void (*init_streams)(void *init);

	if (!handle) {
		log_info("no C++ cells: %s", dlerror());
		return;
	}
	*(void **)&library.get_globals = dlsym(handle, "__cxa_get_globals");
	*(void **)&library.demangle = dlsym(handle, "__cxa_demangle");
	library.exception_type = dlsym(handle, "_ZTISt9exception");
	*(void **)&set_terminate = dlsym(handle, "_ZSt13set_terminatePFvvE");
	*(void **)&init_streams = dlsym(handle, "_ZNSt8ios_base4InitC1Ev");
	if (set_terminate)
		set_terminate(on_terminate);
	/* `#include <iostream>` makes each unit do this first, but units of earlier cells do not
	 * start again in a new worker. */
	if (init_streams)
		init_streams(&library.streams);
}

void cpp_runtime_pure_virtual(void)
{
	host_fault_raise(FAULT_ABORTED, "a pure virtual function was called: of an object that is "
					"being constructed or destroyed, or that was freed");
}

bool cpp_runtime_sync_with_stdio(bool sync)
{
	(void)sync;
	return true;
}
