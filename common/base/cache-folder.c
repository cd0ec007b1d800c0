/* SPDX-License-Identifier: Apache-2.0 */
/* A folder below the temporary one, which everybody may write, counts only if it is the user's. */
#include "common/base/cache-folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

static bool is_usable(const char *folder)
{
	return (!mkdir(folder, 0700) || errno == EEXIST) && !access(folder, W_OK | X_OK);
}

static bool is_own(const char *folder)
{
	struct stat st;

	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == getuid();
}

int cache_folder(struct buffer *ret, struct error *err)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"),
		   *temporary = getenv("TMPDIR");

	if (xdg && *xdg == '/')
		buffer_printf(ret, "%s", xdg);
	else if (home && *home == '/')
		buffer_printf(ret, "%s/.cache", home);
	if (ret->len && is_usable(buffer_text(ret))) {
		buffer_puts(ret, "/cgpu");
		if (is_usable(buffer_text(ret)))
			return 0;
	}
	buffer_clear(ret);
	buffer_printf(ret, "%s/cgpu-%u", temporary && *temporary == '/' ? temporary : "/tmp",
		      (unsigned)getuid());
	if (is_usable(buffer_text(ret)) && is_own(buffer_text(ret)))
		return 0;
	return error_set(err, ERROR_SYSTEM,
			 "no folder for the precompiled header: neither the cache folder nor %s "
			 "can be written; set XDG_CACHE_HOME",
			 buffer_text(ret));
}
