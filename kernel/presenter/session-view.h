/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report or a view sees of the session: units, texts of cells, addresses of names, memory of
 * the worker or of the session, owners of addresses. Each is asked of the kernel process when it is
 * needed first, and kept until the text is made. When the kernel process is gone, the process ends.
 */
#ifndef CGPU_KERNEL_PRESENTER_SESSION_VIEW_H
#define CGPU_KERNEL_PRESENTER_SESSION_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cuda/device-stop.h"
#include "kernel/units/unit-table.h"

struct address_description;
struct unit_debug;

struct session_unit {
	const struct unit_record *record;
	uint64_t serial;
	struct unit_table table; /* has the record, and no other */
	struct unit_debug *debug;
	bool no_debug; /* debug cannot be made, or is not to be */
};

struct session_view {
	int sock;
	bool reads_debug; /* objects of units are read */
	bool has_memory;  /* there is memory to read, and somebody who knows its owners */
	/* Of a thread of device code that stands: memory that is read elsewhere. */
	struct device_stop_window windows[DEVICE_WINDOWS];
	struct session_unit **units;
	size_t n_units, cap_units;
	struct session_cell *cells; /* answers about cells */
	size_t n_cells, cap_cells;
	struct session_page *pages;
	size_t n_pages, cap_pages;
	struct session_text *texts;
	size_t n_texts, cap_texts;
};

void session_view_release(struct session_view *v);

/* The newest unit of a cell, and the newest that defines a name; NULL when there is none. */
const struct session_unit *session_view_unit(struct session_view *v, uint32_t cell);
const struct session_unit *session_view_definer(struct session_view *v, const char *name);
/* Returns the address of the newest definition of a name; 0 when it is not known. */
uint64_t session_view_address(struct session_view *v, const char *name);
/* Returns the text of the cell "In[3]" at its last run, which belongs to the view; NULL: it is not
 * known. */
const char *session_view_text(struct session_view *v, const char *cell);
/* Reads memory; false when not all of it can be read. */
bool session_view_read(struct session_view *v, uint64_t address, void *ret, size_t len);
/* Returns what an address belongs to; false when the worker does not say. */
bool session_view_owner(struct session_view *v, uint64_t address, struct address_description *ret);

/* Returns the unit's debugging information, which belongs to the unit; NULL when there is none that
 * can be read. */
struct unit_debug *session_unit_debug(const struct session_unit *u);

#endif
