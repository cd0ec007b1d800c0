/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps of threads that are stopped for a commit (runtime/process/threads.h) last as long as they
 * were meant to. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "runtime/exports/exports.h"
#include "runtime/process/threads.h"

int exports_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
			    struct timespec *ret_left)
{
	struct timespec left = *wanted;
	unsigned stops;
	int r;

	do {
		stops = threads_stops();
		r = clock_nanosleep(clock, flags, &left, &left);
	} while (r == EINTR && threads_stops() != stops);
	if (r == EINTR && ret_left && !(flags & TIMER_ABSTIME))
		*ret_left = left;
	return r;
}

int exports_nanosleep(const struct timespec *wanted, struct timespec *ret_left)
{
	int r = exports_clock_nanosleep(CLOCK_REALTIME, 0, wanted, ret_left);

	if (r)
		errno = r;
	return r ? -1 : 0;
}

int exports_usleep(useconds_t us)
{
	return exports_nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

unsigned exports_sleep(unsigned seconds)
{
	struct timespec left = { 0 };

	if (!exports_nanosleep(&(struct timespec){ seconds, 0 }, &left))
		return 0;
	return (unsigned)left.tv_sec + (left.tv_nsec >= 500000000);
}

int exports_thrd_sleep(const struct timespec *wanted, struct timespec *ret_left)
{
	int r = exports_clock_nanosleep(CLOCK_REALTIME, 0, wanted, ret_left);

	/* C17 7.26.5.7 */
	return r == EINTR ? -1 : r ? -2 : 0;
}
