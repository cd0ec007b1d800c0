/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a cell, of whatever type, become a WAV file (RIFF, PCM of 16 bits) in a player of
 * HTML, which has the whole sound in it: a notebook on disk plays it, too.
 */
#include <math.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/cell-display.h"
#include "common/protocol/output-ring.h"
#include "runtime/display/display.h"
#include "runtime/display/numbers.h"
#include "runtime/display/plain-text.h"

/* What browsers play. */
#define RATE_MIN 3000
#define RATE_MAX 768000
#define FULL 32767
#define HEAD 44
/* As many as a display has room for, in base64, with what stands around them. */
#define SAMPLES_MAX (((OUTPUT_DISPLAY_MAX - 1024) / 4 * 3 - HEAD) / sizeof(int16_t))

struct sound {
	size_t n;
	unsigned rate, channels;
	size_t clipped, unreal;
	double peak; /* 1: as loud as can be */
};

static void put_number(struct buffer *out, uint32_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buffer_putc(out, (char)(v >> 8 * i));
}

static void put_head(struct buffer *out, const struct sound *s)
{
	unsigned frame = s->channels * (unsigned)sizeof(int16_t);
	uint32_t size = (uint32_t)(s->n * sizeof(int16_t));

	buffer_puts(out, "RIFF");
	put_number(out, HEAD - 8 + size, 4);
	buffer_puts(out, "WAVEfmt ");
	put_number(out, 16, 4);
	put_number(out, 1, 2); /* PCM */
	put_number(out, s->channels, 2);
	put_number(out, s->rate, 4);
	put_number(out, s->rate * frame, 4);
	put_number(out, frame, 2);
	put_number(out, 16, 2);
	buffer_puts(out, "data");
	put_number(out, size, 4);
}

/* A number that is none is silence. */
static int16_t sample(struct sound *s, double v, bool floating)
{
	double full = floating ? 1 : FULL, least = floating ? -full : -full - 1;

	if (!isfinite(v)) {
		s->unreal++;
		return 0;
	}
	s->peak = fmax(s->peak, fabs(v) / full);
	s->clipped += v < least || v > full;
	return (int16_t)round(fmin(fmax(v, least), full) * (FULL / full));
}

static int read_samples(struct sound *s, struct cgpu_data samples, struct buffer *wav,
			struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };
	double v;

	if (numbers_open(&a, "samples", samples, s->n, false, err))
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		if (numbers_next(&a, &v, err))
			return -1;
		put_number(wav, (uint16_t)sample(s, v, numbers_are_floating(&a)), 2);
	}
	return buffer_check(wav, err);
}

/* RFC 4648, section 4. */
static void put_base64(struct buffer *out, const uint8_t *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)bytes[i] << 16 |
			     (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
			     (left > 2 ? bytes[i + 2] : 0);
		char four[] = { digits[v >> 18], digits[v >> 12 & 63],
				left > 1 ? digits[v >> 6 & 63] : '=',
				left > 2 ? digits[v & 63] : '=' };

		buffer_append(out, four, sizeof(four));
	}
}

static void put_plain(struct buffer *out, const struct sound *s)
{
	buffer_printf(out, "audio: %.2f s, %u Hz, %s, peak %.3g",
		      (double)s->n / s->channels / s->rate, s->rate,
		      s->channels == 1 ? "mono" : "stereo", s->peak);
	if (s->clipped) {
		buffer_puts(out, "; ");
		buffer_put_grouped(out, s->clipped);
		buffer_puts(out, " of ");
		buffer_put_grouped(out, s->n);
		buffer_puts(out, " samples clipped");
	}
	plain_text_unreal(out, s->unreal);
}

static int check(const struct sound *s, struct error *err)
{
	if (!s->n)
		return error_set(err, ERROR_INPUT, "there is nothing to play: n is 0");
	if (s->n % s->channels)
		return error_set(err, ERROR_INPUT,
				 "n is %zu, an odd number: stereo is left and right in turn, and n "
				 "counts both",
				 s->n);
	if (s->rate < RATE_MIN || s->rate > RATE_MAX)
		return error_set(err, ERROR_INPUT,
				 "a rate of %u: browsers play %d to %d samples a second", s->rate,
				 RATE_MIN, RATE_MAX);
	if (s->n > SAMPLES_MAX)
		return error_set(err, ERROR_LIMIT,
				 "%zu samples are more than a display can have, %zu: show a part "
				 "of them, or fewer a second",
				 s->n, SAMPLES_MAX);
	return 0;
}

static int show(struct sound *s, struct cgpu_data samples, struct error *err)
{
	cleanup_buffer struct buffer wav = BUFFER_INIT, html = BUFFER_INIT, plain = BUFFER_INIT;
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;

	if (check(s, err))
		return -1;
	put_head(&wav, s);
	if (read_samples(s, samples, &wav, err))
		return -1;
	buffer_puts(&html, "<audio controls src=\"data:audio/wav;base64,");
	put_base64(&html, (const uint8_t *)wav.data, wav.len);
	buffer_puts(&html, "\"></audio>");
	put_plain(&plain, s);
	display_put_buffer(&b, "text/html", &html);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, NULL, false, err);
}

static void play(const char *name, struct cgpu_data samples, size_t n, unsigned channels,
		 unsigned rate)
{
	struct display_call call = display_begin(name);
	struct sound s = { .n = n, .rate = rate, .channels = channels };
	struct error err = ERROR_INIT;
	int rc = show(&s, samples, &err);

	display_end(&call, rc, &err);
}

void cgpu_audio(struct cgpu_data samples, unsigned long n, unsigned rate)
{
	play("cgpu_audio", samples, n, 1, rate);
}

void cgpu_audio_stereo(struct cgpu_data samples, unsigned long n, unsigned rate)
{
	play("cgpu_audio_stereo", samples, n, 2, rate);
}
