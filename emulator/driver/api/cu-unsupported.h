/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the driver API that are there only to say that they are not supported. */
#ifndef CGPU_EMULATOR_CU_UNSUPPORTED_H
#define CGPU_EMULATOR_CU_UNSUPPORTED_H

/* By its name without the suffix of a version; NULL when it is none of them. */
void *cu_unsupported(const char *name);

#endif
