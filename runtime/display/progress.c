/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress bar: one display with an id, whose content is renewed ten times a second at most. What
 * a notebook keeps is the content that was sent last, so the end is always sent.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/cell-display.h"
#include "common/text/html-text.h"
#include "runtime/display/display.h"

#define RENEW_NS 100000000ull
#define BAR 20

struct cgpu_progress {
	uint64_t form; /* PROGRESS_FORM */
	char id[DISPLAY_ID_SIZE];
	char *title;
	uint64_t total, done;
	uint64_t begin_ns, shown_ns;
};

#define PROGRESS_FORM (0x6367707570720000ull + sizeof(struct cgpu_progress))

static void put_seconds(struct buffer *out, double s)
{
	if (s < 10)
		buffer_printf(out, "%.1f s", s);
	else if (s < 60)
		buffer_printf(out, "%.0f s", s);
	else if (s < 3600)
		buffer_printf(out, "%.0f min %02.0f s", floor(s / 60), floor(fmod(s, 60)));
	else
		buffer_printf(out, "%.0f h %02.0f min", floor(s / 3600), floor(fmod(s, 3600) / 60));
}

static void put_rate(struct buffer *out, double rate)
{
	if (rate >= 100)
		buffer_put_grouped(out, (uint64_t)(rate + 0.5));
	else
		buffer_printf(out, "%.3g", rate);
	buffer_puts(out, "/s");
}

/* "450 of 1,000, 123/s, 4.5 s left" */
static void put_figures(struct buffer *out, const struct cgpu_progress *p, bool ended)
{
	double s = (double)(p->shown_ns - p->begin_ns) / 1e9;
	double rate = s > 0 ? (double)p->done / s : 0;

	buffer_put_grouped(out, p->done);
	if (p->total) {
		buffer_puts(out, " of ");
		buffer_put_grouped(out, p->total);
	}
	if (rate > 0) {
		buffer_puts(out, ", ");
		put_rate(out, rate);
	}
	buffer_puts(out, ", ");
	if (ended || !p->total || p->done >= p->total) {
		put_seconds(out, s);
	} else if (rate > 0) {
		put_seconds(out, (double)(p->total - p->done) / rate);
		buffer_puts(out, " left");
	} else {
		buffer_puts(out, "not begun");
	}
}

static double part_done(const struct cgpu_progress *p)
{
	return p->done < p->total ? (double)p->done / (double)p->total : 1;
}

static void put_plain(struct buffer *out, const struct cgpu_progress *p, const char *figures)
{
	int full = (int)(part_done(p) * BAR);

	if (p->title)
		buffer_printf(out, "%s  ", p->title);
	if (p->total) {
		buffer_printf(out, "%3.0f %% |", floor(part_done(p) * 100));
		for (int i = 0; i < BAR; i++)
			buffer_putc(out, i < full ? '#' : '-');
		buffer_puts(out, "| ");
	}
	buffer_puts(out, figures);
}

/* An element of its own kind, which each theme colours. */
static void put_html(struct buffer *out, const struct cgpu_progress *p, const char *figures)
{
	buffer_puts(out, "<div>");
	if (p->title)
		html_text(out, p->title, strlen(p->title));
	if (p->total)
		buffer_printf(out, " <progress value=\"%.4g\" max=\"1\"></progress> %.0f %%,",
			      part_done(p), floor(part_done(p) * 100));
	buffer_printf(out, " %s</div>", figures);
}

static int show(struct cgpu_progress *p, bool update, bool ended, struct error *err)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer html = BUFFER_INIT, plain = BUFFER_INIT, figures = BUFFER_INIT;

	p->shown_ns = clock_now_ns();
	put_figures(&figures, p, ended);
	put_html(&html, p, buffer_text(&figures));
	put_plain(&plain, p, buffer_text(&figures));
	display_put_buffer(&b, "text/html", &html);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, p->id, update, err);
}

cgpu_progress *cgpu_progress_new(const char *title, unsigned long total)
{
	struct display_call call = display_begin("cgpu_progress_new");
	struct cgpu_progress *p = display_session_alloc(sizeof(*p));
	struct error err = ERROR_INIT;
	int rc;

	if (p) {
		p->form = PROGRESS_FORM;
		p->title = display_session_text(title);
		p->total = total;
		p->begin_ns = clock_now_ns();
		display_id_make(p->id);
		rc = show(p, false, false, &err);
	} else {
		rc = error_set(&err, ERROR_MEMORY, "out of memory");
	}
	display_end(&call, rc, &err);
	return p;
}

/* This is called in inner loops: the block is not looked up. */
static bool is_progress(const struct cgpu_progress *p)
{
	return p && p->form == PROGRESS_FORM;
}

static int no_progress(struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "this is no progress bar of cgpu_progress_new(), or it has ended");
}

/* The clock of another start of the machine may be behind. */
static bool is_due(const struct cgpu_progress *p)
{
	uint64_t now = clock_now_ns();

	return (p->total && p->done >= p->total) || now < p->shown_ns ||
	       now - p->shown_ns >= RENEW_NS;
}

static void set(const char *name, cgpu_progress *p, uint64_t done)
{
	struct display_call call;
	struct error err = ERROR_INIT;
	bool good = is_progress(p), same = good && p->done == done;
	int rc;

	if (good) {
		p->done = done;
		if (same || !is_due(p))
			return;
	}
	call = display_begin(name);
	rc = good ? show(p, true, false, &err) : no_progress(&err);
	display_end(&call, rc, &err);
}

void cgpu_progress_set(cgpu_progress *p, unsigned long done)
{
	set("cgpu_progress_set", p, done);
}

void cgpu_progress_add(cgpu_progress *p, unsigned long more)
{
	set("cgpu_progress_add", p, is_progress(p) ? p->done + more : 0);
}

void cgpu_progress_end(cgpu_progress *p)
{
	struct display_call call = display_begin("cgpu_progress_end");
	struct error err = ERROR_INIT;
	bool good = is_progress(p);
	int rc = good ? show(p, true, true, &err) : no_progress(&err);

	if (good) {
		/* The compiler knows that nobody reads a block that is freed; a later call of the
		 * cell does. */
		*(volatile uint64_t *)&p->form = 0;
		free(p->title);
		free(p);
	}
	display_end(&call, rc, &err);
}
