/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a cell is at work, its request is the parent of updates of the card, so that programs that
 * run notebooks and look at one cell at a time see them, too. No front end tells that an output was
 * deleted; the card ends with the next run of its cell.
 */
#include "kernel/session/gpu-card.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/loop.h"
#include "kernel/base/utf8.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/show/utf8-json.h"
#include "kernel/workers/question.h"

#define TICK_MS 500
#define IDLE_TICK_MS 2000
#define METER_AGAIN_MS 5000
#define BAR 30

static unsigned percent(uint64_t part, uint64_t whole)
{
	uint64_t p = whole ? part * 100 / whole : 0;

	return p > 100 ? 100 : (unsigned)p;
}

/* ---- what it says ---- */

static void put_bar(unsigned p, struct buffer *out)
{
	for (unsigned i = 0; i < BAR; i++)
		buffer_putc(out, i * 100 < p * BAR ? '#' : '.');
}

/* Returns the load of a real device; -1: not known. */
static int metered_busy(const struct gpu_card *card)
{
	return gpu_meter_is_known(&card->meter) ? card->meter.busy_percent : -1;
}

static void put_busy(const struct gpu_card *card, char ret[64], int *ret_percent)
{
	*ret_percent = card->last.emulated ? (int)card->busy_percent : metered_busy(card);
	if (card->last.emulated)
		snprintf(ret, 64, "of the time launches ran");
	else if (gpu_meter_is_known(&card->meter) && card->meter.celsius >= 0)
		snprintf(ret, 64, "of the time launches ran, %d degrees Celsius",
			 card->meter.celsius);
	else
		snprintf(ret, 64, "%s",
			 *ret_percent < 0 ? "not known: nvidia-smi does not tell"
					  : "of the time launches ran");
}

static void put_text(const struct gpu_card *card, const char *others, const char *end,
		     struct buffer *out)
{
	const struct device_glance *g = &card->last;
	char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX], what[64];
	unsigned used = percent(g->used, g->limit);
	int busy;

	buffer_printf(out, "%s%s\nmemory  ", g->name, end);
	put_bar(used, out);
	buffer_printf(out, "  %3u %%  %s of %s allowed\n", used, size_text(g->used, a),
		      size_text(g->limit, b));
	put_busy(card, what, &busy);
	buffer_puts(out, "busy    ");
	if (busy >= 0) {
		put_bar((unsigned)busy, out);
		buffer_printf(out, "  %3d %%  ", busy);
	}
	buffer_printf(out, "%s\n", what);
	for (uint32_t i = 0; i < g->table.n_rows; i++) {
		const struct device_watch_row *r = &g->table.rows[i];

		buffer_printf(out, "%10s  %-24s In[%" PRIu32 "]\n", size_text(r->size, a),
			      *r->name ? r->name : "-", r->cell);
	}
	if (g->table.n_left)
		buffer_printf(out, "%10s  in %" PRIu32 " more buffers\n",
			      size_text(g->table.bytes_left, a), g->table.n_left);
	buffer_puts(out, others);
}

static void put_html_bar(const char *what, unsigned p, const char *colour, const char *text,
			 struct buffer *out)
{
	buffer_printf(out,
		      "<tr><td>%s</td><td "
		      "style=\"width:16em;background:rgba(128,128,128,.2);padding:0\"><div "
		      "style=\"background:%s;height:1em;width:%u%%\"></div></td><td "
		      "style=\"text-align:left\">%u&#160;%% %s</td></tr>\n",
		      what, p > 90 ? "rgba(234,67,53,.8)" : colour, p, p, text);
}

static void put_html(const struct gpu_card *card, const char *others, const char *end,
		     struct buffer *out)
{
	const struct device_glance *g = &card->last;
	char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX], text[2 * SIZE_TEXT_MAX + 32], what[64];
	int busy;

	buffer_puts(out, "<div><b>");
	utf8_html(g->name, strlen(g->name), out);
	buffer_printf(out, "</b>%s<table style=\"border-collapse:collapse\">\n", end);
	snprintf(text, sizeof(text), "%s of %s allowed", size_text(g->used, a),
		 size_text(g->limit, b));
	put_html_bar("memory", percent(g->used, g->limit), "rgba(66,133,244,.8)", text, out);
	put_busy(card, what, &busy);
	if (busy >= 0)
		put_html_bar("busy", (unsigned)busy, "rgba(52,168,83,.8)", what, out);
	else
		buffer_printf(out,
			      "<tr><td>busy</td><td colspan=\"2\" "
			      "style=\"text-align:left\">%s</td></tr>\n",
			      what);
	buffer_puts(out, "</table><table style=\"border-collapse:collapse\">\n");
	for (uint32_t i = 0; i < g->table.n_rows; i++) {
		const struct device_watch_row *r = &g->table.rows[i];
		const char *name = *r->name ? r->name : "-";

		buffer_printf(out, "<tr><td>%s</td><td style=\"text-align:left\"><code>",
			      size_text(r->size, a));
		utf8_html(name, strlen(name), out);
		buffer_printf(out, "</code></td><td>In[%" PRIu32 "]</td></tr>\n", r->cell);
	}
	if (g->table.n_left)
		buffer_printf(
			out,
			"<tr><td>%s</td><td colspan=\"2\" style=\"text-align:left\">in %" PRIu32
			" more buffers</td></tr>\n",
			size_text(g->table.bytes_left, a), g->table.n_left);
	buffer_puts(out, "</table>");
	if (*others) {
		buffer_puts(out, "<pre style=\"margin-left: 0\">");
		utf8_html(others, strlen(others), out);
		buffer_puts(out, "</pre>");
	}
	buffer_puts(out, "</div>\n");
}

/* ---- when it says it ---- */

/* Restarts the meter's process, which ends with the worker's orphans, or when its driver does. */
static void keep_meter(struct session *s)
{
	struct gpu_card *card = &s->gpu_card;
	struct error err = ERROR_INIT;

	if (card->last.emulated || gpu_meter_runs(&card->meter) ||
	    (card->metered_ms && loop_now_ms() - card->metered_ms < METER_AGAIN_MS))
		return;
	gpu_meter_stop(&card->meter);
	if (gpu_meter_start(&card->meter, s->loop, "nvidia-smi", card->last.uuid, &err))
		log_info("%s", err.text);
	card->metered_ms = loop_now_ms();
}

static void look(struct session *s)
{
	struct gpu_card *card = &s->gpu_card;
	struct device_glance now = card->last;

	if (!device_glance_take(s->supervisor, &now))
		return;
	card->busy_percent =
		now.worker == card->last.worker && now.busy_ns >= card->last.busy_ns
			? percent(now.busy_ns - card->last.busy_ns, now.at_ns - card->last.at_ns)
			: 0;
	card->last = now;
}

/* Shows the card; end is the text behind the name, "" while it is live. */
static void show(struct session *s, bool first, const char *end)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, html = BUFFER_INIT, others = BUFFER_INIT;
	struct gpu_card *card = &s->gpu_card;
	const struct request *at_work = cell_at_work(s);
	struct error err = ERROR_INIT;

	look(s);
	if (device_glance_share(s->supervisor, &others, &err))
		buffer_printf(&others, "%s\n", err.text);
	put_text(card, buffer_text(&others), end, &text);
	if (text.failed || (!first && card->shown && !strcmp(card->shown, buffer_text(&text))))
		return;
	free(card->shown);
	card->shown = strdup(buffer_text(&text));
	put_html(card, buffer_text(&others), end, &html);
	publish_display(&s->publisher, at_work ? &at_work->message : &card->parent,
			utf8_json_bundle(buffer_text(&text), buffer_text(&html)), card->id, !first);
}

static void on_tick(void *data);

static void arm(struct session *s)
{
	loop_remove(s->loop, s->gpu_card.tick);
	s->gpu_card.tick =
		loop_add_timer(s->loop, cell_at_work(s) ? TICK_MS : IDLE_TICK_MS, on_tick, s);
}

static void on_tick(void *data)
{
	struct session *s = data;

	s->gpu_card.tick = NULL;
	keep_meter(s);
	show(s, false, "");
	arm(s);
}

static void forget(struct session *s)
{
	struct gpu_card *card = &s->gpu_card;

	loop_remove(s->loop, card->tick);
	card->tick = NULL;
	card->live = false;
	gpu_meter_stop(&card->meter);
	message_release(&card->parent);
	free(card->cell);
	free(card->shown);
	card->cell = card->shown = NULL;
}

int gpu_card_start(struct session *s, const struct cell *c, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct gpu_card *card = &s->gpu_card;

	/* The worker makes its table for the first time when it answers this. */
	look(s);
	if (question_device_report(s->supervisor, &report, err))
		return error_wrap(err, "%%gpu");
	forget(s);
	card->cell = strdup(c->id);
	if (!card->cell || message_keep_header(&card->parent, &c->request->message))
		return error_set(err, ERROR_MEMORY, "out of memory for a live card");
	snprintf(card->id, sizeof(card->id), "cgpu-gpu-%s", s->wire.session);
	card->live = true;
	card->metered_ms = 0;
	keep_meter(s);
	output_flush(&s->output);
	show(s, true, "");
	arm(s);
	return 0;
}

void gpu_card_stop(struct session *s)
{
	if (s->gpu_card.live)
		show(s, false, " (not live any more)");
	forget(s);
}

void gpu_card_on_begin(struct session *s, const struct cell *c)
{
	if (s->gpu_card.live && *c->id && !strcmp(c->id, s->gpu_card.cell))
		forget(s);
	else if (s->gpu_card.live)
		arm(s);
}

void gpu_card_on_end(struct session *s)
{
	if (s->gpu_card.live)
		show(s, false, "");
}

void gpu_card_release(struct session *s)
{
	forget(s);
}
