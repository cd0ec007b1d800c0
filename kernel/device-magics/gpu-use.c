/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice of a device is a call of cudaSetDevice() in the line of the magic, so it belongs to
 * the cell: it is rolled back and undone with it. Buffers stay where they are, and a message says
 * so. The choice of a driver is for later processes.
 */
#include "kernel/device-magics/gpu-use.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/declarations/setup.h"
#include "kernel/device/device-choice.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"
#include "kernel/settings/size-text.h"
#include "kernel/workers/question.h"

/* The rest of a device report: the device of each buffer, and the names of devices. */
struct places {
	uint32_t n_devices;
	uint32_t n_elsewhere;
	uint64_t bytes_elsewhere;
	char name[128];
};

static void read_report(struct record *r, uint32_t chosen, struct places *ret)
{
	*ret = (struct places){ 0 };
	record_str(r);
	for (int i = 0; i < 4; i++)
		record_u64(r);
	for (uint32_t n = record_count(r, 26); n--;) {
		uint64_t bytes;
		uint32_t device;

		record_u64(r);
		bytes = record_u64(r);
		record_u32(r);
		record_str(r);
		record_str(r);
		device = record_u32(r);
		if (device != chosen) {
			ret->n_elsewhere++;
			ret->bytes_elsewhere += bytes;
		}
	}
	ret->n_devices = record_count(r, 18);
	for (uint32_t i = 0; i < ret->n_devices; i++) {
		const char *name = record_str(r);

		if (i == chosen)
			snprintf(ret->name, sizeof(ret->name), "%s", name);
		record_str(r);
		record_u64(r);
		record_u64(r);
	}
}

/* Puts the call in place of the blanked line, so that line numbers stay the same. */
static int put_call(struct cell *c, uint32_t line, uint32_t device, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *at = magic_script_line(&c->script, line);

	buffer_printf(&text, "(void)cudaSetDevice(%" PRIu32 ");", device);
	return magic_script_put(&c->script, at, at + strcspn(at, "\n"), buffer_text(&text), err);
}

static void on_chosen(void *data, const char *problem, const char *device)
{
	struct session *s = data;
	struct error err = ERROR_INIT;

	if (*problem) {
		error_set(&err, ERROR_STATE, "%%gpu use: %s. Nothing has changed", problem);
		s->hooks->magic_done(s, &err);
		return;
	}
	setup_again(&s->setup);
	undo_release(&s->undo);
	output_printf(&s->output, STREAM_STDOUT,
		      "cells use another driver from here on: %s; %%undo goes back to here\n",
		      device);
	s->hooks->magic_done(s, NULL);
}

static void cancel(void *data)
{
	device_choice_cancel(((struct session *)data)->supervisor);
}

/* Refuses a driver other than that of existing buffers, which would be lost; a snapshot can bring
 * them along. */
static int refuse_with_memory(const char *which, struct error *err)
{
	return error_set(
		err, ERROR_STATE,
		"%%gpu use %s: the session has device memory, which the other driver cannot take "
		"over. `%%reset gpu` frees the buffers, `%%reset NAME` a device variable, and then "
		"`%%gpu use %s` works. Or take them along: `%%snapshot NAME`, a kernel that is "
		"started with CGPU_DEVICE=%s in its environment, and there `%%restore NAME`",
		which, which, which);
}

static bool is_used(const struct session *s, enum worker_driver choice)
{
	enum worker_driver now = device_choice_now(s->supervisor);

	if (now != DRIVER_CHOSEN)
		return now == choice;
	return supervisor_is_emulated(s->supervisor) == (choice == DRIVER_EMULATED);
}

static int use_kind(struct session *s, struct cell *c, const char *which, struct error *err)
{
	enum worker_driver choice = !strcmp(which, "native") ? DRIVER_NATIVE : DRIVER_EMULATED;

	if (is_used(s, choice)) {
		output_text(&s->output, STREAM_STDOUT, "cells use it already\n", 21);
		return 0;
	}
	if (device_choice_start(s->supervisor, choice, on_chosen, s, err))
		return supervisor_is_ready(s->supervisor) ? refuse_with_memory(which, err) : -1;
	c->cancel = cancel;
	c->cancel_data = s;
	return 1;
}

int gpu_use(struct session *s, struct cell *c, const struct magic_call *call, const char *which,
	    struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT, out = BUFFER_INIT;
	char *end, size[SIZE_TEXT_MAX];
	unsigned long number = strtoul(which, &end, 10);
	struct places places;
	struct record r;

	if (!strcmp(which, "emulated") || !strcmp(which, "native"))
		return use_kind(s, c, which, err);
	if (end == which || *end || *which == '-' || *which == '+')
		return error_set(err, ERROR_INPUT,
				 "%%gpu use: a number, as %%gpu lists them, `emulated` or `native` "
				 "is expected, not \"%s\"",
				 which);
	if (question_device_report(s->supervisor, &report, err))
		return error_wrap(err, "%%gpu");
	r = record_open(report.data, report.len);
	read_report(&r, (uint32_t)number, &places);
	if (number >= places.n_devices)
		return error_set(err, ERROR_INPUT,
				 "%%gpu use: there is no device %lu; there %s %" PRIu32
				 ", and they count from 0",
				 number, places.n_devices == 1 ? "is" : "are", places.n_devices);
	if (put_call(c, call->line, (uint32_t)number, err))
		return -1;
	buffer_printf(&out, "cells use device %lu from here on: %s\n", number, places.name);
	if (places.n_elsewhere)
		buffer_printf(&out,
			      "%" PRIu32 " buffer%s (%s) stay%s on another device; copies reach "
			      "them, kernels after cudaDeviceEnablePeerAccess()\n",
			      places.n_elsewhere, places.n_elsewhere == 1 ? "" : "s",
			      size_text(places.bytes_elsewhere, size),
			      places.n_elsewhere == 1 ? "s" : "");
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
}
