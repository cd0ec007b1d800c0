/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments are passed on as they came, as words: whole numbers and pointers travel alike in
 * registers and on the stack, with the calling conventions of x86-64 and AArch64. Memory that a
 * library takes in these functions is its own, not the session's.
 *
 * The new handle goes to the place that the function was given, if the old one still stands there,
 * and to variables that hold it. Copies elsewhere are not found. What was set on it is set again by
 * the same calls, of each function the last one, in the order of these.
 */
#include "runtime/cuda/libcuda/library-handles.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/session/handles.h"
#include "runtime/cuda/session/session.h"

#define WORDS 11 /* of arguments */
#define WARNINGS_MAX 16

enum library {
#define LIBRARY(symbol, name, package, example, status, names) LIBRARY_##symbol,
#include "common/cuda/cuda-libraries.def"
	LIBRARIES
};

static const struct {
	const char *name, *names;
} libraries[LIBRARIES] = {
#define LIBRARY(symbol, name, package, example, status, names) { name, names },
#include "common/cuda/cuda-libraries.def"
};

static const struct {
	enum library library;
	int value;
	const char *name;
} statuses[] = {
#define STATUS(symbol, value, name) { LIBRARY_##symbol, value, name },
#include "common/cuda/cuda-libraries.def"
};

struct creator {
	enum library library;
	const char *function, *shown;
	uint32_t size;
	bool again; /* it can be called again */
};

enum creator_number {
#define CREATE(symbol, function, shown, size) CREATE_##function,
#define CREATE_ONCE(symbol, function, size) CREATE_##function,
#define CREATE_WIDE(symbol, function, size) CREATE_##function,
#include "common/cuda/cuda-libraries.def"
	CREATORS
};

static const struct creator creators[CREATORS] = {
#define CREATE(symbol, function, shown, size) { LIBRARY_##symbol, #function, shown, size, true },
#define CREATE_ONCE(symbol, function, size) { LIBRARY_##symbol, #function, #function, size, false },
#define CREATE_WIDE(symbol, function, size) { LIBRARY_##symbol, #function, #function, size, false },
#include "common/cuda/cuda-libraries.def"
};

enum setting_kind {
	SETTING_NUMBERS,
	SETTING_STREAM,
	SETTING_MEMORY,
	SETTING_PLACE4,
	SETTING_PLACE5,
	SETTING_POINTERS
};

enum setter_number {
#define SET(symbol, function, shown, size, kind) SET_##function,
#define SET_WIDE(symbol, function, size) SET_##function,
#include "common/cuda/cuda-libraries.def"
	SETTERS
};

static const struct setter {
	const char *function, *shown;
	uint32_t size;
	enum setting_kind kind;
} setters[SETTERS] = {
#define SET(symbol, function, shown, size, kind) { #function, shown, size, SETTING_##kind },
#define SET_WIDE(symbol, function, size) { #function, #function, size, SETTING_POINTERS },
#include "common/cuda/cuda-libraries.def"
};

/* ---- what failed ---- */

/* Calls of the cell that runs. */
static struct {
	pthread_mutex_t lock;
	char texts[WARNINGS_MAX][256];
	unsigned n;
} warnings = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void warn(const char *fmt, ...)
{
	char text[sizeof(warnings.texts[0])];
	unsigned i = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&warnings.lock);
	while (i < warnings.n && strcmp(warnings.texts[i], text))
		i++;
	if (i == warnings.n && warnings.n < WARNINGS_MAX)
		memcpy(warnings.texts[warnings.n++], text, sizeof(text));
	pthread_mutex_unlock(&warnings.lock);
}

void library_handles_cell_begin(void)
{
	warnings.n = 0;
}

void library_handles_warnings(struct buffer *out)
{
	pthread_mutex_lock(&warnings.lock);
	for (unsigned i = 0; i < warnings.n; i++)
		buffer_printf(out, "%s\n", warnings.texts[i]);
	warnings.n = 0;
	pthread_mutex_unlock(&warnings.lock);
}

/* "CUBLAS_STATUS_NOT_INITIALIZED (1)" */
static const char *status_text(const struct creator *c, int status, char ret[96])
{
	const char *(*names)(int) =
		*libraries[c->library].names
			? (const char *(*)(int))dlsym(RTLD_DEFAULT, libraries[c->library].names)
			: NULL;
	const char *name = names ? names(status) : NULL;

	for (size_t i = 0; !name && i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].library == c->library && statuses[i].value == status)
			name = statuses[i].name;
	snprintf(ret, 96, name ? "%.80s (%d)" : "%.80sstatus %d", name ? name : "", status);
	return ret;
}

static const char *why(const struct creator *c, char ret[128])
{
	if (!device.usable)
		snprintf(ret, 128, ": there is no usable device");
	else if (device.driver->extension)
		snprintf(ret, 128,
			 ": %s works with NVIDIA's driver on a GPU only, and this device is the "
			 "emulated one",
			 libraries[c->library].name);
	else
		ret[0] = '\0';
	return ret;
}

/* ---- making and destroying ---- */

typedef int any_create(long a, long b, long c, long d, long e, long f, long g, long h, long i,
		       long j, long k);

static int call(const struct creator *c, const long w[WORDS])
{
	any_create *real = (any_create *)dlsym(RTLD_DEFAULT, c->function);
	int status;

	device.host->enter_library();
	status = real(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]);
	device.host->leave_library();
	return status;
}

static uint64_t read_handle(const void *at, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

static void note(enum creator_number n, const long w[WORDS], uint32_t line)
{
	void *at = (void *)w[0];
	struct session_library_handle *h;

	device_lock();
	h = session_append(&device.session->library_handles, struct session_library_handle);
	if (h) {
		h->creator = n;
		h->epoch = device.epoch;
		h->place = (uintptr_t)at;
		h->value = read_handle(at, creators[n].size);
		h->cell = device.cell;
		h->line = line;
		memcpy(h->words, w, sizeof(h->words));
		snprintf(h->name, sizeof(h->name), "%s",
			 device.host->name_of_pointer ? device.host->name_of_pointer((uintptr_t)at)
						      : "");
	}
	device_unlock();
}

static int create(enum creator_number n, const long w[WORDS])
{
	const struct creator *c = &creators[n];
	uint32_t line = device.host->caller_line ? device.host->caller_line() : 0;
	char name[96], reason[128], where[32] = "";
	int status = call(c, w);

	if (!status && w[0] && device.session)
		note(n, w, line);
	if (line)
		snprintf(where, sizeof(where), " in line %u", line);
	if (status)
		warn("%s() returned %s%s%s", c->shown, status_text(c, status, name), where,
		     why(c, reason));
	return status;
}

/* More arguments than a function has are no harm as long as they travel in registers. */
#define CREATE_ONCE(symbol, function, size)                                                        \
	static int create_##function(long a, long b, long c, long d, long e, long f)               \
	{                                                                                          \
		return create(CREATE_##function, (const long[WORDS]){ a, b, c, d, e, f });         \
	}
#define CREATE(symbol, function, shown, size) CREATE_ONCE(symbol, function, size)
#define CREATE_WIDE(symbol, function, size)                                                        \
	static int create_##function(long a, long b, long c, long d, long e, long f, long g,       \
				     long h, long i, long j, long k)                               \
	{                                                                                          \
		return create(CREATE_##function,                                                   \
			      (const long[WORDS]){ a, b, c, d, e, f, g, h, i, j, k });             \
	}
#include "common/cuda/cuda-libraries.def"

/* Number of the row, -1: none. device.lock is held. */
static int64_t row_of(long handle, uint32_t size)
{
	const struct session_array *a = device.session ? &device.session->library_handles : NULL;
	uint64_t value = read_handle(&handle, size);

	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct session_library_handle *h =
			session_at(a, struct session_library_handle, i);

		if (h->value == value && creators[h->creator].size == size)
			return i;
	}
	return -1;
}

static void forget(uint32_t i)
{
	struct session_array *a = &device.session->library_handles;

	session_array_clear(&session_at(a, struct session_library_handle, i)->settings);
	session_remove(a, sizeof(struct session_library_handle), i);
}

static int destroy(const char *function, uint32_t size, long handle)
{
	int (*real)(long) = (int (*)(long))dlsym(RTLD_DEFAULT, function);
	int64_t row;
	int status;

	device_lock();
	row = row_of(handle, size);
	if (row >= 0)
		forget((uint32_t)row);
	device_unlock();
	device.host->enter_library();
	status = real(handle);
	device.host->leave_library();
	return status;
}

#define DESTROY(function, size)                                                                    \
	static int destroy_##function(long handle)                                                 \
	{                                                                                          \
		return destroy(#function, size, handle);                                           \
	}
#include "common/cuda/cuda-libraries.def"

/* ---- settings ---- */

typedef int any_set(long a, long b, long c, long d, long e, long f);

static int call_setter(enum setter_number n, const long w[SESSION_LIBRARY_WORDS])
{
	any_set *real = (any_set *)dlsym(RTLD_DEFAULT, setters[n].function);
	int status;

	device.host->enter_library();
	status = real(w[0], w[1], w[2], w[3], w[4], w[5]);
	device.host->leave_library();
	return status;
}

static void note_setting(enum setter_number n, const long w[SESSION_LIBRARY_WORDS])
{
	struct session_library_setting *s;
	struct session_array *a;
	int64_t row;

	device_lock();
	row = row_of(w[0], setters[n].size);
	if (row >= 0) {
		a = &session_at(&device.session->library_handles, struct session_library_handle,
				row)
			     ->settings;
		for (uint32_t i = a->n; i-- > 0;)
			if (session_at(a, struct session_library_setting, i)->setter == n)
				session_remove(a, sizeof(*s), i);
		s = session_append(a, struct session_library_setting);
		if (s) {
			s->setter = n;
			memcpy(s->words, w, sizeof(s->words));
		}
	}
	device_unlock();
}

static int set(enum setter_number n, const long w[SESSION_LIBRARY_WORDS])
{
	int status = call_setter(n, w);

	if (!status)
		note_setting(n, w);
	return status;
}

#define SET(symbol, function, shown, size, kind)                                                   \
	static int set_##function(long a, long b, long c, long d, long e, long f)                  \
	{                                                                                          \
		return set(SET_##function,                                                         \
			   (const long[SESSION_LIBRARY_WORDS]){ a, b, c, d, e, f });               \
	}
#define SET_WIDE(symbol, function, size)                                                           \
	static int set_##function(long a, long b, long c, long d, long e, long f, long g, long h,  \
				  long i, long j, long k, long l)                                  \
	{                                                                                          \
		typedef int wide(long, long, long, long, long, long, long, long, long, long, long, \
				 long);                                                            \
		wide *real = (wide *)dlsym(RTLD_DEFAULT, #function);                               \
		int status;                                                                        \
                                                                                                   \
		device.host->enter_library();                                                      \
		status = real(a, b, c, d, e, f, g, h, i, j, k, l);                                 \
		device.host->leave_library();                                                      \
		if (!status)                                                                       \
			note_setting(SET_##function, (const long[SESSION_LIBRARY_WORDS]){ a });    \
		return status;                                                                     \
	}
#include "common/cuda/cuda-libraries.def"

static const struct {
	const char *name;
	void *function;
} functions[] = {
#define CREATE(symbol, function, shown, size) { #function, (void *)create_##function },
#define CREATE_ONCE(symbol, function, size) { #function, (void *)create_##function },
#define CREATE_WIDE(symbol, function, size) { #function, (void *)create_##function },
#define DESTROY(function, size) { #function, (void *)destroy_##function },
#define SET(symbol, function, shown, size, kind) { #function, (void *)set_##function },
#define SET_WIDE(symbol, function, size) { #function, (void *)set_##function },
#include "common/cuda/cuda-libraries.def"
};

void *library_handles_symbol(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return dlsym(RTLD_DEFAULT, name) ? functions[i].function : NULL;
	return NULL;
}

/* ---- after another worker ---- */

static const char *named(const struct session_library_handle *h, char ret[96])
{
	snprintf(ret, 96, *h->name ? "the %s handle `%s` of cell %u" : "a %s handle%s of cell %u",
		 libraries[creators[h->creator].library].name, h->name, h->cell);
	return ret;
}

/* "; what: cublasSetStream(), cublasSetMathMode()", of the settings that are, or are not, called
 * again. */
static void put_settings(const struct session_library_handle *h, bool again, const char *what,
			 struct buffer *out)
{
	bool first = true;

	for (uint32_t i = 0; i < h->settings.n; i++) {
		const struct setter *s =
			&setters[session_at(&h->settings, struct session_library_setting, i)
					 ->setter];

		if ((s->kind != SETTING_POINTERS) != again)
			continue;
		buffer_printf(out, "%s%s()", first ? what : ", ", s->shown);
		first = false;
	}
}

void library_handles_report(struct buffer *out)
{
	const struct session_array *a = &device.session->library_handles;
	char name[96];

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_library_handle *h =
			session_at(a, struct session_library_handle, i);
		const struct creator *c = &creators[h->creator];

		if (c->again)
			buffer_printf(out, "%s: %s() makes it again before the next cell",
				      named(h, name), c->shown);
		else
			buffer_printf(out, "%s, which line %u has made: call %s() again",
				      named(h, name), h->line, c->shown);
		if (c->again) {
			put_settings(h, true, ", and these set it again: ", out);
			put_settings(h, false, "; call again: ", out);
			if (c->library == LIBRARY_CURAND)
				buffer_puts(out, "; its numbers begin anew");
		} else if (h->settings.n) {
			put_settings(h, true, ", ", out);
			put_settings(h, false, ", ", out);
		}
		buffer_puts(out, "\n");
	}
}

bool library_handles_due(void)
{
	const struct session_array *a = device.session ? &device.session->library_handles : NULL;

	for (uint32_t i = 0; a && i < a->n; i++)
		if (session_at(a, struct session_library_handle, i)->epoch != device.epoch)
			return true;
	return false;
}

struct change {
	uint64_t from, to;
	bool found;
};

static void change_variable(void *data, void *at)
{
	struct change *c = data;

	if (read_handle(at, sizeof(c->from)) != c->from)
		return;
	memcpy(at, &c->to, sizeof(c->to));
	c->found = true;
}

/* Wherever the old one stands; false: nowhere. */
static bool put_in_place(const struct session_library_handle *h, uint64_t value)
{
	uint32_t size = creators[h->creator].size;
	struct change c = { h->value, value, false };
	bool stays =
		device.host->is_session_memory && device.host->is_session_memory(h->place, size);
	void *at = (void *)(uintptr_t)h->place;

	if (stays && read_handle(at, size) == h->value) {
		memcpy(at, &value, size);
		c.found = true;
	}
	if (size == sizeof(c.from) && device.host->each_pointer)
		device.host->each_pointer(change_variable, &c);
	return c.found;
}

/* No handle: a pointer that is null, or CUFFT_PLAN_NULL. */
static void take_out(const struct session_library_handle *h)
{
	put_in_place(h, creators[h->creator].size == sizeof(int) ? (unsigned)-1 : 0);
}

/* Why it cannot be set again, NULL: it can. */
static const char *obstacle(const struct session_library_setting *s)
{
	switch (setters[s->setter].kind) {
	case SETTING_STREAM:
		return (uintptr_t)s->words[1] <= (uintptr_t)cudaStreamPerThread ||
				       session_find_stream((cudaStream_t)s->words[1])
			       ? NULL
			       : "its stream is gone";
	case SETTING_MEMORY:
		return !s->words[1] || ledger_find((uintptr_t)s->words[1]) ? NULL
									   : "its memory is gone";
	case SETTING_POINTERS:
		return "its arguments are gone";
	default:
		return NULL;
	}
}

static int call_again(const struct session_library_setting *s, uint64_t value)
{
	enum setting_kind kind = setters[s->setter].kind;
	long w[SESSION_LIBRARY_WORDS];
	size_t figures[16]; /* one a device */

	memcpy(w, s->words, sizeof(w));
	w[0] = (long)value;
	if (kind == SETTING_PLACE4 || kind == SETTING_PLACE5)
		w[kind == SETTING_PLACE4 ? 4 : 5] = (long)(uintptr_t)figures;
	return call_setter((enum setter_number)s->setter, w);
}

/* Settings are made again, or told and forgotten; those that were told with the report are not told
 * twice. */
static void set_again(struct session_library_handle *h)
{
	char name[96], status_name[96];
	int status = 0;

	for (uint32_t i = 0; i < h->settings.n;) {
		const struct session_library_setting *s =
			session_at(&h->settings, struct session_library_setting, i);
		const struct setter *f = &setters[s->setter];
		const char *why;

		device_lock();
		why = obstacle(s);
		device_unlock();
		if (!why && !(status = call_again(s, h->value))) {
			i++;
			continue;
		}
		if (!why)
			warn("%s: %s() was called again and returned %s", named(h, name), f->shown,
			     status_text(&creators[h->creator], status, status_name));
		else if (f->kind != SETTING_POINTERS)
			warn("%s: %s() was not called again: %s", named(h, name), f->shown, why);
		session_remove(&h->settings, sizeof(*s), i);
	}
}

/* False: there is none any more. */
static bool renew(struct session_library_handle *h)
{
	const struct creator *c = &creators[h->creator];
	long w[WORDS] = { 0 };
	uint64_t value = 0;
	char name[96], status_name[96], reason[128];
	int status;

	if (!c->again || !dlsym(RTLD_DEFAULT, c->function)) {
		take_out(h);
		return false;
	}
	if (!put_in_place(h, h->value)) {
		warn("%s was not made again: no variable holds it any more", named(h, name));
		return false;
	}
	memcpy(w, h->words, sizeof(h->words));
	w[0] = (long)(uintptr_t)&value;
	status = call(c, w);
	if (status) {
		take_out(h);
		warn("%s is no handle any more: %s() returned %s%s", named(h, name), c->shown,
		     status_text(c, status, status_name), why(c, reason));
		return false;
	}
	put_in_place(h, value);
	h->value = value;
	h->epoch = device.epoch;
	set_again(h);
	return true;
}

void library_handles_renew(void)
{
	struct session_array *a = &device.session->library_handles;

	for (uint32_t i = 0; i < a->n;) {
		struct session_library_handle *h = session_at(a, struct session_library_handle, i);

		if (h->epoch == device.epoch || renew(h))
			i++;
		else
			forget(i);
	}
}
