/* SPDX-License-Identifier: Apache-2.0 */
/* The backend of runtime/loader/relocate.h that is the machine's own. */
#include "runtime/loader/relocate.h"

const struct relocate_arch *relocate_native(void)
{
#if defined(__x86_64__)
	return &relocate_x86_64;
#elif defined(__aarch64__)
	return &relocate_aarch64;
#else
#error "cgpu runs on x86-64 and aarch64"
#endif
}
