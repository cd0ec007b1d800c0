/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of what is made anew when it is missing: compiled cells and headers. */
#ifndef CGPU_COMMON_BASE_CACHE_FOLDER_H
#define CGPU_COMMON_BASE_CACHE_FOLDER_H

struct buffer;
struct error;

/* Appends $XDG_CACHE_HOME/cgpu, ~/.cache/cgpu, or a folder of the user below the temporary folder,
 * the first of them that can be written. It is made if it is missing. */
int cache_folder(struct buffer *ret, struct error *err);

#endif
