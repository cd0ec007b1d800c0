/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long an array can be is known of a block of the heap, of a variable and of a buffer of the
 * device. Of other memory, as of an array on the stack, Linux says whether it can be read.
 */
#define _GNU_SOURCE
#include "runtime/display/numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/worker.h"

/* Elements that are copied at once: few calls of the driver, and little memory. */
#define PART 16384
#define STRING_MAX 4096

/* what: the kind of its owner, which has a name or is known by its cell. */
static int too_short(const struct numbers *a, uint64_t has, const char *what,
		     const struct address_description *d, struct error *err)
{
	cleanup_buffer struct buffer owner = BUFFER_INIT;

	if (*d->name)
		buffer_printf(&owner, "%s%s%s", what, *what ? " " : "", d->name);
	else
		buffer_printf(&owner, "the %s of cell %u", what, d->cell);
	return error_set(err, ERROR_INPUT,
			 "%s is too short: %zu elements of %u bytes need %zu bytes, and %s has "
			 "%" PRIu64 "%s",
			 a->name, a->n, a->size, a->n * a->size, buffer_text(&owner), has,
			 has < d->size ? " from there on" : "");
}

static int freed(const struct numbers *a, const char *what, const struct address_description *d,
		 struct error *err)
{
	return d->freed_cell
		       ? error_set(err, ERROR_INPUT, "%s is %s that cell %u has freed", a->name,
				   what, d->freed_cell)
		       : error_set(err, ERROR_INPUT, "%s is %s that was freed", a->name, what);
}

/* d: whom the address belongs to. */
static int check_owner(const struct numbers *a, const struct address_description *d,
		       struct error *err)
{
	uint64_t has = d->base + d->size > a->address ? d->base + d->size - a->address : 0;
	bool fits = has >= (uint64_t)a->n * a->size;

	switch (d->owner) {
	case OWNER_NULL:
		return error_set(err, ERROR_INPUT, "%s is no pointer: 0x%" PRIx64, a->name,
				 a->address);
	case OWNER_HEAP:
		return fits ? 0 : too_short(a, has, *d->name ? "" : "block", d, err);
	case OWNER_HEAP_FREED:
		return freed(a, "a block", d, err);
	case OWNER_HEAP_NEAR:
		return error_set(err, ERROR_INPUT, "%s points to no block: it is outside of one",
				 a->name);
	case OWNER_VARIABLE:
		return fits || !has ? 0 : too_short(a, has, "", d, err);
	case OWNER_DEVICE:
		return fits || !d->size ? 0 : too_short(a, has, "device buffer", d, err);
	case OWNER_DEVICE_FREED:
		return freed(a, "a device buffer", d, err);
	default:
		return 0;
	}
}

static int find_array(struct numbers *a, struct error *err)
{
	struct address_description d;

	host_fault_describe(a->address, &d);
	a->on_device = d.owner == OWNER_DEVICE;
	return check_owner(a, &d, err);
}

int numbers_open(struct numbers *a, const char *name, struct cgpu_data data, size_t n,
		 bool optional, struct error *err)
{
	*a = (struct numbers){ .name = name,
			       .kind = data.type & ~0xffu,
			       .size = data.type & 0xff,
			       .address = (uintptr_t)data.at,
			       .n = n };
	if (!data.at) {
		a->kind = 0;
		return optional || !n ? 0 : error_set(err, ERROR_INPUT, "%s is NULL", name);
	}
	if (!a->kind || !a->size)
		return error_set(err, ERROR_INPUT,
				 "%s is a void *, and what its elements are is not known: cast it, "
				 "as in (float *)%s",
				 name, name);
	if (n > SIZE_MAX / 16)
		return error_set(err, ERROR_INPUT, "%s cannot have %zu elements", name, n);
	if (n && find_array(a, err))
		return -1;
	a->bytes = malloc(PART * sizeof(double));
	a->part = malloc(PART * sizeof(double));
	return a->bytes && a->part ? 0 : error_set(err, ERROR_MEMORY, "out of memory");
}

void numbers_release(struct numbers *a)
{
	free(a->bytes);
	free(a->part);
	a->bytes = NULL;
	a->part = NULL;
}

/* As a copy that the cell asks for: behind what the default stream has to do, and in the trace. */
static int copy_from_device(const struct numbers *a, uint64_t from, size_t size, struct error *err)
{
	int (*copy)(void *, const void *, size_t, int) = NULL;
	const char *(*text)(int) = NULL;
	int result;

	*(void **)&copy = device_symbol("cudaMemcpy");
	*(void **)&text = device_symbol("cudaGetErrorString");
	if (!copy || !text)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is memory of a device that cannot be used", a->name);
	result = copy(a->bytes, (const void *)from, size, 2 /* cudaMemcpyDeviceToHost */);
	return result ? error_set(err, ERROR_SYSTEM, "%s cannot be copied from the device: %s",
				  a->name, text(result))
		      : 0;
}

static int copy_from_host(const struct numbers *a, uint64_t from, size_t size, struct error *err)
{
	for (size_t done = 0; done < size;) {
		struct iovec local = { a->bytes + done, size - done };
		struct iovec remote = { (void *)(from + done), size - done };
		ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		if (n < 0 && errno != EFAULT) { /* not allowed here: the pointer is trusted */
			memcpy(local.iov_base, remote.iov_base, local.iov_len);
			return 0;
		}
		if (n <= 0)
			return error_set(err, ERROR_INPUT,
					 "%s is too short: nothing can be read at 0x%" PRIx64
					 ", element %zu of %zu",
					 a->name, from + done,
					 (size_t)((from + done - a->address) / a->size), a->n);
		done += (size_t)n;
	}
	return 0;
}

#define EACH(type)                                                                                 \
	do {                                                                                       \
		for (size_t i = 0; i < n; i++) {                                                   \
			type v;                                                                    \
                                                                                                   \
			memcpy(&v, a->bytes + i * sizeof(v), sizeof(v));                           \
			a->part[i] = (double)v;                                                    \
		}                                                                                  \
	} while (0)

static void convert_signed(struct numbers *a, size_t n)
{
	if (a->size == 1)
		EACH(int8_t);
	else if (a->size == 2)
		EACH(int16_t);
	else if (a->size == 4)
		EACH(int32_t);
	else
		EACH(int64_t);
}

static void convert_unsigned(struct numbers *a, size_t n)
{
	if (a->size == 1)
		EACH(uint8_t);
	else if (a->size == 2)
		EACH(uint16_t);
	else if (a->size == 4)
		EACH(uint32_t);
	else
		EACH(uint64_t);
}

/* IEEE 754 binary16, which not every compiler of this program has. */
static double from_half(uint16_t bits)
{
	double v = bits & 0x3ff;
	int exponent = bits >> 10 & 0x1f;

	if (exponent == 0x1f)
		v = v > 0 ? NAN : INFINITY;
	else
		v = exponent ? ldexp(v + 0x400, exponent - 25) : ldexp(v, -24);
	return bits & 0x8000 ? -v : v;
}

static double from_bfloat16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float v;

	memcpy(&v, &wide, sizeof(v));
	return (double)v;
}

static void convert_short(struct numbers *a, size_t n)
{
	uint16_t bits;

	for (size_t i = 0; i < n; i++) {
		memcpy(&bits, a->bytes + i * sizeof(bits), sizeof(bits));
		a->part[i] = a->kind == CGPU_BFLOAT16 ? from_bfloat16(bits) : from_half(bits);
	}
}

static void convert(struct numbers *a, size_t n)
{
	if (a->kind == CGPU_SIGNED)
		convert_signed(a, n);
	else if (a->kind == CGPU_UNSIGNED)
		convert_unsigned(a, n);
	else if (numbers_are_floating(a) && a->size == sizeof(uint16_t))
		convert_short(a, n);
	else if (a->kind == CGPU_FLOATING && a->size == sizeof(float))
		EACH(float);
	else if (a->kind == CGPU_FLOATING)
		EACH(double);
}

/* The part that the next element is in. */
static int read_part(struct numbers *a, struct error *err)
{
	size_t n = a->n - a->at < PART ? a->n - a->at : PART;
	uint64_t from = a->address + (uint64_t)a->at * a->size;

	if (a->at < a->part_at + a->part_n)
		return 0;
	if (a->on_device ? copy_from_device(a, from, n * a->size, err)
			 : copy_from_host(a, from, n * a->size, err))
		return -1;
	convert(a, n);
	a->part_at = a->at;
	a->part_n = n;
	return 0;
}

int numbers_next(struct numbers *a, double *ret, struct error *err)
{
	if (!a->kind) {
		*ret = (double)a->at++;
		return 0;
	}
	if (numbers_are_text(a))
		return error_set(err, ERROR_INPUT, "%s has strings, and numbers are asked for",
				 a->name);
	if (read_part(a, err))
		return -1;
	*ret = a->part[a->at++ - a->part_at];
	return 0;
}

int numbers_next_text(struct numbers *a, struct buffer *out, struct error *err)
{
	char text[STRING_MAX];
	const char *from;
	ssize_t len;

	if (read_part(a, err))
		return -1;
	memcpy(&from, a->bytes + (a->at - a->part_at) * sizeof(from), sizeof(from));
	len = from ? worker_read_characters(from, 1, text, sizeof(text)) : 0;
	if (len < 0)
		return error_set(err, ERROR_INPUT, "%s[%zu] points to no string: %p", a->name,
				 a->at, (const void *)from);
	/* One that is too long, or ends with its memory, ends there. */
	buffer_append(out, text, strnlen(text, (size_t)len));
	buffer_putc(out, '\0');
	a->at++;
	return 0;
}
