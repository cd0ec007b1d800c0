/* SPDX-License-Identifier: Apache-2.0 */
/* The list of failures to come. An empty list costs one load a call. */
#include "emulator/driver/inject.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INJECT_MAX 32

struct inject {
	char name[48];
	int code;
	unsigned countdown; /* 1: the next call; 0: the slot is free */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct inject slots[INJECT_MAX];
static _Atomic unsigned armed;
static unsigned slow_init_ms;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;

static int arm(const char *name, size_t name_len, int code, unsigned countdown)
{
	for (size_t i = 0; i < INJECT_MAX; i++) {
		struct inject *s = &slots[i];

		if (s->countdown || name_len >= sizeof(s->name))
			continue;
		memcpy(s->name, name, name_len);
		s->name[name_len] = '\0';
		s->code = code;
		s->countdown = countdown;
		armed++;
		return 0;
	}
	return -1;
}

/* One item: NAME=CODE[:N], launch=hang or init=slow:MS. Returns its end, NULL when malformed. */
static const char *add_item(const char *item)
{
	const char *equals = strchr(item, '=');
	unsigned long countdown = 1;
	long code;
	char *end;

	if (!equals || equals == item)
		return NULL;
	if (!strncmp(item, "init=slow:", 10)) {
		slow_init_ms = (unsigned)strtoul(item + 10, &end, 10);
		return end;
	}
	if (!strncmp(item, "launch=hang", 11))
		return arm("launch", 6, INJECT_HANG, 1) ? NULL : item + 11;
	code = strtol(equals + 1, &end, 10);
	if (end == equals + 1 || code <= 0)
		return NULL;
	if (*end == ':')
		countdown = strtoul(end + 1, &end, 10);
	if (!countdown || arm(item, (size_t)(equals - item), (int)code, (unsigned)countdown))
		return NULL;
	return end;
}

int inject_add(const char *spec)
{
	int ret = 0;

	pthread_mutex_lock(&lock);
	while (spec && *spec && !ret) {
		spec = add_item(spec);
		if (!spec || (*spec && *spec != ','))
			ret = -1;
		else if (*spec)
			spec++;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

static void read_environment(void)
{
	const char *spec = getenv("CGPU_EMULATED_FAIL");

	if (spec && inject_add(spec))
		fprintf(stderr, "cgpu-emulator: CGPU_EMULATED_FAIL is malformed: %s\n", spec);
}

int inject_take(const char *name)
{
	int code = 0;

	pthread_once(&environment_once, read_environment);
	if (!armed)
		return 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < INJECT_MAX; i++) {
		struct inject *s = &slots[i];

		if (!s->countdown || strcmp(s->name, name) || --s->countdown)
			continue;
		code = s->code;
		armed--;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

void inject_slow_init(void)
{
	struct timespec pause;

	pthread_once(&environment_once, read_environment);
	pause.tv_sec = slow_init_ms / 1000;
	pause.tv_nsec = (long)(slow_init_ms % 1000) * 1000000;
	nanosleep(&pause, NULL);
}
