/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the timer, the order of the two streams, and the conversion of display records to MIME
 * bundles. */
#include "kernel/session/output.h"

#include <ctype.h>
#include <string.h>

#include <openssl/evp.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "kernel/base/loop.h"
#include "kernel/base/utf8.h"
#include "kernel/comms/comms.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/session.h"
#include "kernel/show/cell-json.h"

#define FLUSH_MS 60
/* So much text does not wait for the timer: the copies on its way to the front end stay small. */
#define FLUSH_BYTES (64 * 1024)
/* Changes between stdout and stderr whose order is kept within one tick of the timer. */
#define SWITCHES_MAX 30

static const char *const stream_names[STREAMS] = { "stdout", "stderr" };

/* Returns the limit of a stream. stderr gets a quarter extra, so that a flood on stdout cannot hide
 * a message there. */
static size_t stream_limit(const struct output *o, int which)
{
	return which == STREAM_STDOUT ? o->limit : o->limit / 4;
}

void output_init(struct output *o, struct session *s, size_t limit)
{
	memset(o, 0, sizeof(*o));
	o->session = s;
	o->limit = limit;
	for (int i = 0; i < STREAMS; i++)
		stream_init(&o->streams[i], stream_limit(o, i));
	flood_files_init(&o->floods, "", 0);
}

void output_release(struct output *o)
{
	loop_remove(o->session->loop, o->timer);
	for (int i = 0; i < STREAMS; i++)
		stream_release(&o->streams[i]);
	flood_files_release(&o->floods);
	buffer_release(&o->parts);
}

void output_keep_floods(struct output *o, const char *folder, uint64_t most)
{
	flood_files_init(&o->floods, folder, most);
}

void output_begin(struct output *o, const struct message *parent, uint32_t number)
{
	o->parent = parent;
	o->switches = 0;
	/* Of a display that the end of its cell has cut short. */
	buffer_release(&o->parts);
	for (int i = 0; i < STREAMS; i++)
		stream_begin(&o->streams[i], stream_limit(o, i));
	flood_files_begin(&o->floods, number, o->limit);
}

static void send(struct output *o, int which, const struct buffer *text)
{
	if (text->len && o->parent)
		publish_stream(&o->session->publisher, o->parent, stream_names[which], text->data,
			       text->len);
}

static void show(struct output *o, int which)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	stream_take(&o->streams[which], &text);
	send(o, which, &text);
}

/* Shows the stream first that was written first. */
static void show_both(struct output *o)
{
	show(o, !o->last);
	show(o, o->last);
}

static void show_end(struct output *o, int which, const char *whole)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	stream_end(&o->streams[which], whole, &text);
	send(o, which, &text);
}

static void on_timer(void *data)
{
	struct output *o = data;

	o->timer = NULL;
	o->switches = 0;
	show_both(o);
}

static void stop_timer(struct output *o)
{
	loop_remove(o->session->loop, o->timer);
	o->timer = NULL;
}

void output_flush(struct output *o)
{
	stop_timer(o);
	show_both(o);
}

void output_end(struct output *o)
{
	cleanup_buffer struct buffer whole = BUFFER_INIT;
	bool is_cut = false;

	stop_timer(o);
	for (int i = 0; i < STREAMS; i++)
		is_cut |= stream_is_cut(&o->streams[i]);
	flood_files_end(&o->floods, is_cut, &whole);
	show_end(o, !o->last, buffer_text(&whole));
	show_end(o, o->last, buffer_text(&whole));
	o->parent = NULL;
}

void output_text(struct output *o, int which, const char *bytes, size_t len)
{
	if (!o->parent)
		return;
	if (which != o->last && stream_ready(&o->streams[o->last]) && o->switches < SWITCHES_MAX) {
		show(o, o->last);
		o->switches++;
	}
	o->last = which;
	stream_add(&o->streams[which], bytes, len);
	flood_files_add(&o->floods, bytes, len);
	if (stream_ready(&o->streams[which]) >= FLUSH_BYTES)
		show_both(o);
	if (!o->timer)
		o->timer = loop_add_timer(o->session->loop, FLUSH_MS, on_timer, o);
}

void output_printf(struct output *o, int which, const char *fmt, ...)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	va_list ap;

	va_start(ap, fmt);
	buffer_vprintf(&text, fmt, ap);
	va_end(ap);
	output_text(o, which, buffer_text(&text), text.len);
}

static bool is_mime_type(const char *mime)
{
	const char *slash = strchr(mime, '/');

	if (!slash || slash == mime || !slash[1])
		return false;
	for (const char *p = mime; *p; p++)
		if (p != slash && !isalnum((unsigned char)*p) && !strchr("_-+.", *p))
			return false;
	return true;
}

static bool is_json_mime(const char *mime)
{
	size_t len = strlen(mime);

	return !strcmp(mime, "application/json") || (len > 5 && !strcmp(mime + len - 5, "+json"));
}

static bool is_text_mime(const char *mime)
{
	return !strncmp(mime, "text/", 5) || !strcmp(mime, "image/svg+xml") ||
	       !strcmp(mime, "application/javascript");
}

static json_t *base64(const char *data, size_t len)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	unsigned char *out = buffer_extend(&text, 4 * ((len + 2) / 3) + 1);

	if (!out)
		return NULL;
	return json_stringn_nocheck((char *)out,
				    EVP_EncodeBlock(out, (const unsigned char *)data, len));
}

/* NULL: it is no JSON, which the user is told. */
static json_t *json_value(struct output *o, const char *mime, const char *data, size_t len)
{
	struct error err = ERROR_INIT;
	json_t *value = cell_json(mime, data, len, &err);

	if (!value)
		output_printf(o, STREAM_STDERR, "display: %s\n", err.text);
	return value;
}

/* Converts one MIME type's data to the JSON form that the type requires. */
static json_t *mime_value(struct output *o, const char *mime, const char *data, size_t len)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (is_json_mime(mime))
		return json_value(o, mime, data, len);
	if (!is_text_mime(mime))
		return base64(data, len);
	utf8_clean(data, len, true, &text);
	return json_stringn_nocheck(buffer_text(&text), text.len);
}

static void display(struct output *o, struct record *r)
{
	const char *id = record_str(r), *mime, *data;
	bool update = record_u8(r);
	json_t *bundle = json_object();
	struct error err = ERROR_INIT;
	size_t len;

	for (uint32_t n = record_count(r, 8); n; n--) {
		mime = record_str(r);
		data = record_bytes(r, &len);
		if (is_mime_type(mime))
			json_object_set_new(bundle, mime, mime_value(o, mime, data, len));
		else
			output_printf(o, STREAM_STDERR, "display: \"%s\" is not a MIME type\n",
				      mime);
	}
	if (record_check(r, "display record", &err)) {
		log_warning("%s", err.text);
		json_decref(bundle);
		return;
	}
	output_flush(o);
	if (json_object_size(bundle))
		publish_display(&o->session->publisher, o->parent, bundle, id, update);
	else
		json_decref(bundle);
}

/* What was cut off is missed by who reads the record. */
static void keep_part(struct output *o, const char *bytes, size_t len)
{
	if (o->parts.len + len <= OUTPUT_DISPLAY_MAX)
		buffer_append(&o->parts, bytes, len);
}

static void comm_record(struct output *o, struct record *r)
{
	struct error err = ERROR_INIT;

	output_flush(o);
	if (comms_record(&o->session->comms, r, o->parent, &err))
		output_printf(o, STREAM_STDERR, "comm: %s\n", err.text);
}

void output_record(struct output *o, enum output_type type, const char *bytes, size_t len)
{
	bool may_be_long = type == OUTPUT_DISPLAY || type == OUTPUT_COMM;
	struct record r = record_open(bytes, len);

	if (!o->parent)
		return;
	if (type == OUTPUT_PART || (may_be_long && o->parts.len))
		keep_part(o, bytes, len);
	if (type == OUTPUT_PART)
		return;
	if (may_be_long) {
		if (o->parts.len)
			r = record_open(o->parts.data, o->parts.len);
		if (type == OUTPUT_DISPLAY)
			display(o, &r);
		else
			comm_record(o, &r);
		buffer_release(&o->parts);
		return;
	}
	output_flush(o);
	publish_clear_output(&o->session->publisher, o->parent, record_u8(&r));
}
