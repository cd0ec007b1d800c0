/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG (W3C, third edition, which has animations) with what deflate (RFC 1951) calls fixed Huffman
 * codes. Not libpng: whatever is linked to this program is there for cells, too, under its own
 * names, and would stand before the zlib and libpng that they bring. So it is little: of each row
 * what differs from the row above is written (filter "up"), and of repeated bytes their number,
 * which is what plots, masks and fields of zeros have. Photographs stay about as large as they are.
 */
#include "runtime/display/png.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/base/buffer.h"

#define FILTER_UP 2
/* Of a repetition, as RFC 1951 has it; those of 258 bytes are taken while there are so many. */
#define RUN_MIN 3
#define RUN_MAX 258

/* Content of a chunk that has none. */
static const struct buffer nothing = BUFFER_INIT;

static void put_u32(struct buffer *out, uint32_t v)
{
	uint8_t bytes[] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };

	buffer_append(out, bytes, sizeof(bytes));
}

/* Of the chunk's type and content (annex D), four bits at a time. */
static uint32_t crc(const uint8_t *bytes, size_t len)
{
	uint32_t table[16], v = 0xffffffff;

	for (uint32_t i = 0; i < 16; i++) {
		table[i] = i;
		for (int bit = 0; bit < 4; bit++)
			table[i] = table[i] & 1 ? 0xedb88320 ^ table[i] >> 1 : table[i] >> 1;
	}
	for (size_t i = 0; i < len; i++) {
		v ^= bytes[i];
		v = table[v & 15] ^ v >> 4;
		v = table[v & 15] ^ v >> 4;
	}
	return ~v;
}

static void put_chunk(struct buffer *out, const char type[4], const struct buffer *data)
{
	size_t at;

	out->failed |= data->failed;
	put_u32(out, (uint32_t)data->len);
	at = out->len;
	buffer_append(out, type, 4);
	buffer_append(out, data->data, data->len);
	if (!out->failed)
		put_u32(out, crc((const uint8_t *)out->data + at, data->len + 4));
}

struct bits {
	struct buffer *out;
	uint32_t held;
	unsigned n;
};

/* The lowest bit first. */
static void put_bits(struct bits *b, uint32_t v, unsigned n)
{
	b->held |= v << b->n;
	for (b->n += n; b->n >= 8; b->n -= 8) {
		buffer_putc(b->out, (char)b->held);
		b->held >>= 8;
	}
}

/* A Huffman code has its highest bit first. */
static void put_code(struct bits *b, uint32_t code, unsigned n)
{
	uint32_t turned = 0;

	for (unsigned i = 0; i < n; i++)
		turned |= (code >> i & 1) << (n - 1 - i);
	put_bits(b, turned, n);
}

/* Literals and lengths by the fixed codes of section 3.2.6. */
static void put_symbol(struct bits *b, unsigned symbol)
{
	if (symbol < 144)
		put_code(b, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(b, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(b, symbol - 256, 7);
	else
		put_code(b, 0xc0 + symbol - 280, 8);
}

/* The byte before, so many times more: length codes of section 3.2.5, distance 1. */
static void put_run(struct bits *b, unsigned run)
{
	unsigned extra = 0, base = run - RUN_MIN;

	if (run == RUN_MAX) {
		put_symbol(b, 285);
	} else {
		while (base >> extra >= 8)
			extra++;
		put_symbol(b, 257 + 4 * extra + (base >> extra));
		put_bits(b, base & ((1u << extra) - 1), extra);
	}
	put_code(b, 0, 5);
}

static size_t run_at(const uint8_t *bytes, size_t i, size_t len)
{
	size_t run = 0;

	while (i && run < RUN_MAX && i + run < len && bytes[i + run] == bytes[i - 1])
		run++;
	return run;
}

/* RFC 1950: two bytes of head, one block, the sum of all bytes. */
static void compress(struct buffer *out, const uint8_t *bytes, size_t len)
{
	struct bits b = { .out = out };
	uint32_t low = 1, high = 0;

	buffer_append(out, "\x78\x01", 2);
	put_bits(&b, 3, 3); /* the last block, fixed codes */
	for (size_t i = 0; i < len;) {
		size_t run = run_at(bytes, i, len);

		if (run >= RUN_MIN) {
			put_run(&b, (unsigned)run);
			i += run;
		} else {
			put_symbol(&b, bytes[i++]);
		}
	}
	put_symbol(&b, 256);
	put_bits(&b, 0, 7);
	for (size_t i = 0; i < len; i++) {
		low = (low + bytes[i]) % 65521;
		high = (high + low) % 65521;
	}
	put_u32(out, high << 16 | low);
}

/* Returns the rows with the kind of filter in front of each; NULL: there is no memory. */
static uint8_t *filter(const uint8_t *pixels, size_t stride, size_t row, size_t rows)
{
	uint8_t *bytes = malloc((row + 1) * rows), *to = bytes;

	for (size_t y = 0; bytes && y < rows; y++) {
		const uint8_t *from = pixels + y * stride;

		*to++ = FILTER_UP;
		for (size_t x = 0; x < row; x++)
			*to++ = (uint8_t)(from[x] - (y ? (from - stride)[x] : 0));
	}
	return bytes;
}

void png_pack(struct buffer *out, const uint8_t *pixels, size_t stride, uint32_t width,
	      uint32_t height, unsigned channels)
{
	size_t row = (size_t)width * channels;
	uint8_t *bytes = filter(pixels, stride, row, height);

	if (bytes)
		compress(out, bytes, (row + 1) * height);
	else
		out->failed = true;
	free(bytes);
}

static void put_head(struct buffer *out, uint32_t width, uint32_t height, unsigned channels)
{
	static const uint8_t colour_types[] = { [1] = 0, [2] = 4, [3] = 2, [4] = 6 };
	cleanup_buffer struct buffer head = BUFFER_INIT;

	put_u32(&head, width);
	put_u32(&head, height);
	buffer_append(&head, (uint8_t[]){ 8, colour_types[channels], 0, 0, 0 }, 5);
	buffer_append(out, "\x89PNG\r\n\x1a\n", 8);
	put_chunk(out, "IHDR", &head);
}

void png_write(struct buffer *out, const uint8_t *pixels, uint32_t width, uint32_t height,
	       unsigned channels)
{
	cleanup_buffer struct buffer data = BUFFER_INIT;

	png_pack(&data, pixels, (size_t)width * channels, width, height, channels);
	put_head(out, width, height, channels);
	put_chunk(out, "IDAT", &data);
	put_chunk(out, "IEND", &nothing);
}

/* Where the frame lies, how long it is seen, and that it stays and replaces what was there: 0, 0.
 */
static void put_frame_control(struct buffer *out, const struct png_frame *f, uint32_t number,
			      unsigned rate)
{
	cleanup_buffer struct buffer control = BUFFER_INIT;

	put_u32(&control, number);
	put_u32(&control, f->width);
	put_u32(&control, f->height);
	put_u32(&control, f->x);
	put_u32(&control, f->y);
	put_u32(&control, (uint32_t)f->ticks << 16 | rate);
	buffer_append(&control, (uint8_t[]){ 0, 0 }, 2);
	put_chunk(out, "fcTL", &control);
}

/* The first frame is the image of those who know no animation. Chunks of frames are numbered. */
void png_write_animation(struct buffer *out, const struct png_frame *frames, unsigned channels,
			 unsigned rate)
{
	cleanup_buffer struct buffer control = BUFFER_INIT;
	uint32_t n = 0, number = 0;

	for (const struct png_frame *f = frames; f; f = f->next)
		n++;
	put_u32(&control, n);
	put_u32(&control, 0); /* without end */
	put_head(out, frames->width, frames->height, channels);
	put_chunk(out, "acTL", &control);
	for (const struct png_frame *f = frames; f; f = f->next) {
		cleanup_buffer struct buffer data = BUFFER_INIT;

		put_frame_control(out, f, number++, rate);
		if (f != frames)
			put_u32(&data, number++);
		buffer_append(&data, f->packed, f->packed_size);
		put_chunk(out, f == frames ? "IDAT" : "fdAT", &data);
	}
	put_chunk(out, "IEND", &nothing);
}
