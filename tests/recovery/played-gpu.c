/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of a GPU that is played: that of the emulated device, to which this is linked, without the extension by which the
 * runtime knows it. As on hardware, a stray access inside of mapped memory is no fault, and registered host memory is that of
 * the pages that were mapped when it was registered: what uses the device after they were exchanged finds an illegal address
 * here, where hardware would go on with pages that nobody else sees.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
#define INVALID_VALUE 1
#define ILLEGAL_ADDRESS 700
#define PAGE_IS_FILE (1ull << 61)
#define PAGE_IS_PRESENT (1ull << 63)
#define PINS_MAX 256

enum { SHARED = 1, FILE_BACKED = 2, PRESENT = 4 };

static struct pin {
	uintptr_t start;
	size_t pages;
	uint8_t *state; /* of each page */
} pins[PINS_MAX];
static unsigned n_pins;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Which pages of [start, end) are mapped shared. */
static void add_shared(uintptr_t start, size_t pages, uint8_t *state)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], mode[8];
	unsigned long from, to;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 || mode[3] != 's')
			continue;
		for (size_t i = 0; i < pages; i++)
			if (start + i * PAGE >= from && start + i * PAGE < to)
				state[i] |= SHARED;
	}
	if (f)
		fclose(f);
}

static void read_state(uintptr_t start, size_t pages, uint8_t *ret)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	memset(ret, 0, pages);
	for (size_t i = 0; i < pages; i++) {
		uint64_t entry = 0;

		if (pread(fd, &entry, sizeof(entry), (off_t)((start / PAGE + i) * sizeof(entry))) != sizeof(entry))
			abort();
		ret[i] = (entry & PAGE_IS_FILE ? FILE_BACKED : 0) | (entry & PAGE_IS_PRESENT ? PRESENT : 0);
	}
	close(fd);
	add_shared(start, pages, ret);
}

static struct pin *find(const void *p)
{
	for (unsigned i = 0; i < n_pins; i++)
		if (pins[i].start == ((uintptr_t)p & -(uintptr_t)PAGE))
			return &pins[i];
	return NULL;
}

static int pages_changed(void)
{
	int result = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_pins && !result; i++) {
		uint8_t *state = malloc(pins[i].pages);

		read_state(pins[i].start, pins[i].pages, state);
		if (memcmp(state, pins[i].state, pins[i].pages)) {
			fprintf(stderr, "played GPU: the pages of host memory at %#lx were exchanged after it was registered\n",
				(unsigned long)pins[i].start);
			result = ILLEGAL_ADDRESS;
		}
		free(state);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* The emulated driver's function of that name. */
#define REAL(name, parameters) ((int (*) parameters)dlsym(RTLD_NEXT, #name))

/* As pinning does, a page of its own is made of each that would be copied at the first write. */
int cuMemHostRegister_v2(void *p, size_t size, unsigned flags)
{
	struct pin pin = { .start = (uintptr_t)p & -(uintptr_t)PAGE };
	int result;

	pin.pages = ((uintptr_t)p + size - pin.start + PAGE - 1) / PAGE;
	pin.state = malloc(pin.pages);
	/* Not all of it is mapped? */
	result = mincore((void *)pin.start, pin.pages * PAGE, pin.state) ? INVALID_VALUE
		 : REAL(cuMemHostRegister_v2, (void *, size_t, unsigned))(p, size, flags);
	if (result) {
		free(pin.state);
		return result;
	}
	for (size_t i = 0; i < pin.pages; i++)
		__atomic_fetch_or((uint8_t *)pin.start + i * PAGE, 0, __ATOMIC_RELAXED);
	read_state(pin.start, pin.pages, pin.state);
	pthread_mutex_lock(&lock);
	if (n_pins == PINS_MAX)
		abort();
	pins[n_pins++] = pin;
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuMemHostUnregister(void *p)
{
	struct pin *pin;

	pthread_mutex_lock(&lock);
	pin = find(p);
	if (pin) {
		free(pin->state);
		*pin = pins[--n_pins];
	}
	pthread_mutex_unlock(&lock);
	return REAL(cuMemHostUnregister, (void *))(p);
}

/* Not in calls that wait: a thread may be stopped for a commit while it waits, and would be stopped with the lock. */
#define CHECKED(name, parameters, arguments)                                \
	int name parameters                                                 \
	{                                                                   \
		int result = pages_changed();                               \
									    \
		return result ? result : REAL(name, parameters) arguments;  \
	}

CHECKED(cuLaunchKernel, (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
			 void *stream, void **args, void **extra),
	(f, gx, gy, gz, bx, by, bz, shared, stream, args, extra))
CHECKED(cuMemcpyAsync, (uint64_t to, uint64_t from, size_t size, void *stream), (to, from, size, stream))
