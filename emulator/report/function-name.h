/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of functions in reports, as compute-sanitizer has them: "addOne(int *, int)". The C++
 * library takes mangled names apart; where there is none, and for names that are not mangled, the
 * parameters are "(...)".
 */
#ifndef CGPU_EMULATOR_FUNCTION_NAME_H
#define CGPU_EMULATOR_FUNCTION_NAME_H

#define FUNCTION_NAME_MAX 160

/* short_name: what to fall back to, NULL: made from the symbol. ret has FUNCTION_NAME_MAX bytes. */
void function_name(const char *symbol, const char *short_name, char *ret);

#endif
