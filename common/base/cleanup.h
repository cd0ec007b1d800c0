/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that are released at the end of their scope. A variable marked cleanup_* releases what
 * it holds on every way out of its block; steal_pointer() and steal_fd() transfer the resource to
 * another owner first.
 */
#ifndef CGPU_COMMON_BASE_CLEANUP_H
#define CGPU_COMMON_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free_at(void *p)
{
	free(*(void **)p);
}

/* Closes the descriptor and keeps errno, so that a failing function can still report the reason. */
static inline void cleanup_fd_at(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void cleanup_file_at(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_dir_at(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define cleanup_free __attribute__((cleanup(cleanup_free_at)))
#define cleanup_fd __attribute__((cleanup(cleanup_fd_at)))
#define cleanup_file __attribute__((cleanup(cleanup_file_at)))
#define cleanup_dir __attribute__((cleanup(cleanup_dir_at)))

#define steal_pointer(pp)                                                                          \
	({                                                                                         \
		__typeof__(*(pp)) stolen_ = *(pp);                                                 \
		*(pp) = NULL;                                                                      \
		stolen_;                                                                           \
	})

static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#endif
