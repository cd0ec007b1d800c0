/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG (W3C, third edition, which has animations), its bytes packed as deflate has it (RFC 1951).
 * Not libpng: whatever is linked to this program is there for cells, too, under its own names, and
 * would stand before the zlib and libpng that they bring. So it is little: of each row what differs
 * from the row above is written (filter "up"), of repeated bytes their number, which is what plots,
 * masks and fields of zeros have, and frequent bytes have short codes, which smooth colours gain
 * from. Sequences of bytes that come again are not looked for.
 */
#include "runtime/display/png.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"

#define FILTER_UP 2
/* Of a repetition, as RFC 1951 has it; those of 258 bytes are taken while there are so many. */
#define RUN_MIN 3
#define RUN_MAX 258
#define SYMBOLS 288     /* that the fixed code has */
#define OWN_SYMBOLS 286 /* those that stand for something */
#define END 256
#define LENGTH_MAX 15

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

/* A code for literals and lengths of runs, and the one for the only distance that is used, 1. */
struct code {
	uint64_t count[SYMBOLS]; /* how often there is one */
	uint8_t length[SYMBOLS]; /* in bits; 0: none */
	uint16_t bits[SYMBOLS];
	unsigned distance; /* bits of a distance, which are 0 */
};

/* Bits follow from lengths (section 3.2.2). */
static void assign_bits(struct code *c)
{
	unsigned next = 0;

	for (unsigned length = 1; length <= LENGTH_MAX; length++, next <<= 1)
		for (unsigned i = 0; i < SYMBOLS; i++)
			if (c->length[i] == length)
				c->bits[i] = (uint16_t)next++;
}

/* Section 3.2.6. */
static void make_fixed(struct code *c)
{
	for (unsigned i = 0; i < SYMBOLS; i++)
		c->length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	c->distance = 5;
	assign_bits(c);
}

/* The rarest of the nodes that have no parent yet, of those that there are; -1: none. */
static int rarest(const uint64_t *count, const int *parent, int nodes)
{
	int found = -1;

	for (int i = 0; i < nodes; i++)
		if (count[i] && !parent[i] && (found < 0 || count[i] < count[found]))
			found = i;
	return found;
}

/* Huffman's tree: the two rarest nodes get a parent, until one is left. Returns the longest length.
 */
static unsigned measure_lengths(struct code *c)
{
	uint64_t count[2 * SYMBOLS];
	int parent[2 * SYMBOLS] = { 0 }, nodes = SYMBOLS;
	unsigned longest = 0;

	memcpy(count, c->count, sizeof(c->count));
	for (;;) {
		int one = rarest(count, parent, nodes), two;

		parent[one] = nodes;
		two = rarest(count, parent, nodes);
		if (two < 0)
			break;
		parent[two] = nodes;
		count[nodes] = count[one] + count[two];
		nodes++;
	}
	for (int i = 0; i < SYMBOLS; i++) {
		unsigned length = 0;

		for (int at = i; c->count[i] && at < nodes - 1; at = parent[at])
			length++;
		c->length[i] = (uint8_t)length;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* A code that suits the counts. Its tree is too deep where they differ too much. */
static void make_own(struct code *c)
{
	while (measure_lengths(c) > LENGTH_MAX)
		for (unsigned i = 0; i < SYMBOLS; i++)
			c->count[i] = (c->count[i] + 1) / 2;
	c->distance = 1;
	assign_bits(c);
}

/* Bits of all symbols and distances; how far a run goes beyond its symbol takes the same with each
 * code. */
static uint64_t cost(const struct code *c, const uint64_t *count)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < SYMBOLS; i++)
		bits += count[i] * (c->length[i] + (i > END ? c->distance : 0));
	return bits;
}

/* The lengths of the code (section 3.2.7), each as a number of four bits: of the lengths' own code
 * the lengths 0 to 15 have four bits, and those for repetitions, which come first, none. */
static void put_lengths(struct bits *b, const struct code *c)
{
	put_bits(b, OWN_SYMBOLS - 257, 5);
	put_bits(b, 0, 5); /* one code for distances */
	put_bits(b, 19 - 4, 4);
	for (unsigned i = 0; i < 19; i++)
		put_bits(b, i < 3 ? 0 : 4, 3);
	for (unsigned i = 0; i < OWN_SYMBOLS; i++)
		put_code(b, c->length[i], 4);
	put_code(b, c->distance, 4);
}

/* The byte before, so many times more: length codes of section 3.2.5. */
static unsigned run_symbol(unsigned run, unsigned *ret_extra)
{
	unsigned extra = 0, base = run - RUN_MIN;

	*ret_extra = 0;
	if (run == RUN_MAX)
		return 285;
	while (base >> extra >= 8)
		extra++;
	*ret_extra = extra;
	return 257 + 4 * extra + (base >> extra);
}

static size_t run_at(const uint8_t *bytes, size_t i, size_t len)
{
	size_t run = 0;

	while (i && run < RUN_MAX && i + run < len && bytes[i + run] == bytes[i - 1])
		run++;
	return run;
}

/* The symbol for what stands at *at, which moves behind it. run: 0 of a literal. */
static unsigned next_symbol(const uint8_t *bytes, size_t len, size_t *at, unsigned *ret_run,
			    unsigned *ret_extra)
{
	size_t run = run_at(bytes, *at, len);

	*ret_run = run >= RUN_MIN ? (unsigned)run : 0;
	*ret_extra = 0;
	if (!*ret_run)
		return bytes[(*at)++];
	*at += run;
	return run_symbol(*ret_run, ret_extra);
}

static void count_symbols(uint64_t *count, const uint8_t *bytes, size_t len)
{
	unsigned run, extra;

	for (size_t i = 0; i < len;)
		count[next_symbol(bytes, len, &i, &run, &extra)]++;
	count[END]++;
}

static void put_symbols(struct bits *b, const struct code *c, const uint8_t *bytes, size_t len)
{
	unsigned run, extra;

	for (size_t i = 0; i < len;) {
		unsigned symbol = next_symbol(bytes, len, &i, &run, &extra);

		put_code(b, c->bits[symbol], c->length[symbol]);
		if (!run)
			continue;
		put_bits(b, (run - RUN_MIN) & ((1u << extra) - 1), extra);
		put_code(b, 0, c->distance);
	}
	put_code(b, c->bits[END], c->length[END]);
}

/* RFC 1950: two bytes of head, one block, the sum of all bytes. */
static void compress(struct buffer *out, const uint8_t *bytes, size_t len)
{
	struct code fixed = { 0 }, own = { 0 };
	struct bits b = { .out = out };
	uint32_t low = 1, high = 0;

	count_symbols(fixed.count, bytes, len);
	memcpy(own.count, fixed.count, sizeof(own.count));
	make_fixed(&fixed);
	make_own(&own);
	buffer_append(out, "\x78\x01", 2);
	put_bits(&b, 1, 1); /* the last block */
	if (cost(&own, fixed.count) + 4 * OWN_SYMBOLS < cost(&fixed, fixed.count)) {
		put_bits(&b, 2, 2);
		put_lengths(&b, &own);
		put_symbols(&b, &own, bytes, len);
	} else {
		put_bits(&b, 1, 2);
		put_symbols(&b, &fixed, bytes, len);
	}
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
