/* SPDX-License-Identifier: Apache-2.0 */
/* The list of failures to come. An empty list costs one load a call. */
#include "emulator/driver/device/inject.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INJECT_MAX 32

/* A failure to come. */
struct failure {
	char name[48];
	int code;
	unsigned countdown; /* 1: the next call; 0: the slot is free */
	char *path;         /* calls fail while there is such a file; NULL: as countdown says */
	bool once;          /* and the call that fails removes it */
};

static struct inject {
	pthread_once_t environment; /* adds what it says */
	pthread_mutex_t lock;
	struct failure slots[INJECT_MAX];
	_Atomic unsigned armed; /* failures and a lost device; 0: no call looks further */
	unsigned slow_ms[INJECT_PLACES];
	_Atomic uint64_t held;
	int driver_version;
	char *lost_path; /* set once, as the environment or the first item says */
} inject = { .environment = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

static struct failure *arm(const char *name, size_t name_len, int code, unsigned countdown)
{
	for (size_t i = 0; i < INJECT_MAX; i++) {
		struct failure *s = &inject.slots[i];

		if (s->countdown || name_len >= sizeof(s->name))
			continue;
		memcpy(s->name, name, name_len);
		s->name[name_len] = '\0';
		s->code = code;
		s->countdown = countdown;
		s->path = NULL;
		inject.armed++;
		return s;
	}
	return NULL;
}

/* The end of the path; NULL: there is no room. */
static const char *arm_file(const char *name, size_t name_len, int code, bool once,
			    const char *path)
{
	size_t len = strcspn(path, ",");
	struct failure *s = arm(name, name_len, code, 1);

	if (!s)
		return NULL;
	s->once = once;
	s->path = strndup(path, len);
	return s->path ? path + len : NULL;
}

static uint64_t parse_size(const char *text, char **ret_end)
{
	uint64_t size = strtoull(text, ret_end, 10);

	switch (**ret_end) {
	case 'G':
		size *= 1024;
		/* fallthrough */
	case 'M':
		size *= 1024;
		/* fallthrough */
	case 'K':
		size *= 1024;
		++*ret_end;
	}
	return size;
}

static const char *set_lost(const char *path)
{
	size_t len = strcspn(path, ",");

	if (!inject.lost_path)
		inject.lost_path = strndup(path, len);
	if (!inject.lost_path)
		return NULL;
	inject.armed++;
	return path + len;
}

/* An item that is a state, not a failure to come. Its end; NULL: it is none. */
static const char *set_state(const char *item)
{
	char *end = NULL;

	if (!strncmp(item, "init=slow:", 10))
		inject.slow_ms[INJECT_INIT] = (unsigned)strtoul(item + 10, &end, 10);
	else if (!strncmp(item, "context=slow:", 13))
		inject.slow_ms[INJECT_CONTEXT] = (unsigned)strtoul(item + 13, &end, 10);
	else if (!strncmp(item, "memory=held:", 12))
		inject.held = parse_size(item + 12, &end);
	else if (!strncmp(item, "driver=", 7))
		inject.driver_version = (int)strtoul(item + 7, &end, 10);
	else if (!strncmp(item, "device=lost:", 12))
		return set_lost(item + 12);
	return end;
}

/* Returns the item's end, NULL when it is malformed. */
static const char *add_item(const char *item)
{
	const char *equals = strchr(item, '='), *state_end = set_state(item);
	unsigned long countdown = 1;
	long code;
	char *end;

	if (!equals || equals == item)
		return NULL;
	if (state_end)
		return state_end;
	if (!strncmp(item, "launch=hang", 11))
		return arm("launch", 6, INJECT_HANG, 1) ? item + 11 : NULL;
	code = strtol(equals + 1, &end, 10);
	if (end == equals + 1 || code <= 0)
		return NULL;
	if (!strncmp(end, ":once:", 6))
		return arm_file(item, (size_t)(equals - item), (int)code, true, end + 6);
	if (!strncmp(end, ":while:", 7))
		return arm_file(item, (size_t)(equals - item), (int)code, false, end + 7);
	if (*end == ':')
		countdown = strtoul(end + 1, &end, 10);
	if (!countdown || !arm(item, (size_t)(equals - item), (int)code, (unsigned)countdown))
		return NULL;
	return end;
}

int inject_add(const char *spec)
{
	int ret = 0;

	pthread_mutex_lock(&inject.lock);
	while (spec && *spec && !ret) {
		spec = add_item(spec);
		if (!spec || (*spec && *spec != ','))
			ret = -1;
		else if (*spec)
			spec++;
	}
	pthread_mutex_unlock(&inject.lock);
	return ret;
}

static void read_environment(void)
{
	const char *spec = getenv("CGPU_EMULATED_FAIL");

	if (spec && inject_add(spec))
		fprintf(stderr, "cgpu-emulator: CGPU_EMULATED_FAIL is malformed: %s\n", spec);
}

/* The file of a failure for once is taken by one call of all processes. */
static bool takes_file(const struct failure *s)
{
	return s->once ? !unlink(s->path) : !access(s->path, F_OK);
}

int inject_take(const char *name)
{
	int code = 0;

	pthread_once(&inject.environment, read_environment);
	if (!inject.armed)
		return 0;
	pthread_mutex_lock(&inject.lock);
	for (size_t i = 0; i < INJECT_MAX; i++) {
		struct failure *s = &inject.slots[i];

		if (!s->countdown || strcmp(s->name, name))
			continue;
		if (s->path) {
			if (!code && takes_file(s))
				code = s->code;
		} else if (!--s->countdown) {
			code = s->code;
			inject.armed--;
		}
	}
	pthread_mutex_unlock(&inject.lock);
	return code;
}

void inject_slow(enum inject_place place)
{
	struct timespec pause;

	pthread_once(&inject.environment, read_environment);
	pause.tv_sec = inject.slow_ms[place] / 1000;
	pause.tv_nsec = (long)(inject.slow_ms[place] % 1000) * 1000000;
	nanosleep(&pause, NULL);
}

uint64_t inject_held(void)
{
	pthread_once(&inject.environment, read_environment);
	return inject.held;
}

int inject_driver_version(int otherwise)
{
	pthread_once(&inject.environment, read_environment);
	return inject.driver_version ? inject.driver_version : otherwise;
}

bool inject_lost(void)
{
	pthread_once(&inject.environment, read_environment);
	return inject.armed && inject.lost_path && !access(inject.lost_path, F_OK);
}
