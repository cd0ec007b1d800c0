/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of device functions, which function pointers of device code hold. Any thread may ask.
 */
#ifndef CGPU_EMULATOR_PTX_CODE_ADDRESS_H
#define CGPU_EMULATOR_PTX_CODE_ADDRESS_H

#include <stdint.h>

struct ptx_function;
struct ptx_module;

/* The address of f, the same for the same function of the same module in each process; 0: out of
 * memory. */
uint64_t ptx_code_address_new(struct ptx_function *f);
/* The module's functions are gone: their addresses mean nothing until the same module is loaded
 * again. */
void ptx_code_address_drop(struct ptx_module *m);
/* The function of a loaded module that has this address; NULL: none has. */
struct ptx_function *ptx_code_address_find(uint64_t address);

#endif
