/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes WORKER_MEMORY_REPORT of common/protocol/worker-protocol.h into a struct. */
#ifndef CGPU_KERNEL_FAULTS_MEMORY_REPORT_H
#define CGPU_KERNEL_FAULTS_MEMORY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Sizes are in bytes. A block is lost when no variable, block, library or thread points to it. */
struct memory_report_cell {
	uint32_t cell;
	uint64_t heap_made, heap_live, blocks, lost, lost_blocks;
	uint64_t device_made, device_live, device_lost;
	uint64_t largest_lost; /* asked for by the function below, at that line of that cell */
	uint32_t site_cell, site_line; /* 0: not known */
	const char *site_function;
	uint64_t largest_buffer; /* largest lost buffer on the device, asked for at this line of the
				    cell */
	uint32_t buffer_line;
	const char *reached_by; /* "list, numbers and others"; "" */
};

struct memory_report {
	uint64_t heap_top, heap_live, blocks;
	uint64_t heap_free, heap_largest; /* in runs of free pages; the largest run */
	uint64_t heap_slots;              /* free slots for small blocks */
	bool complete;   /* the search for lost blocks is complete; otherwise `lost` is 0 everywhere
			  */
	uint32_t n_left; /* cells that are not listed; bytes_left is what they hold */
	uint64_t bytes_left;
	struct memory_report_cell *cells;
	size_t n_cells;
	char *bytes; /* the texts point into this block */
};

/* Decodes the payload behind the id, which is copied. */
int memory_report_decode(struct memory_report *ret, const void *payload, size_t len,
			 struct error *err);
/* Releases the report. A zeroed struct is accepted. */
void memory_report_release(struct memory_report *m);

#endif
