/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that checked code calls, under the names that the compiler gives
 * (runtime/exports/exports.def). */
#ifndef CGPU_RUNTIME_MEMCHECK_CALLBACKS_H
#define CGPU_RUNTIME_MEMCHECK_CALLBACKS_H

#include <stddef.h>
#include <stdint.h>

void callbacks_load1(uint64_t at);
void callbacks_load2(uint64_t at);
void callbacks_load4(uint64_t at);
void callbacks_load8(uint64_t at);
void callbacks_load16(uint64_t at);
void callbacks_load_n(uint64_t at, uint64_t size);
void callbacks_store1(uint64_t at);
void callbacks_store2(uint64_t at);
void callbacks_store4(uint64_t at);
void callbacks_store8(uint64_t at);
void callbacks_store16(uint64_t at);
void callbacks_store_n(uint64_t at, uint64_t size);

/* Shadow bytes of a frame; `at` is an address in the shadow. */
void callbacks_set_00(uint8_t *at, uint64_t n);
void callbacks_set_01(uint8_t *at, uint64_t n);
void callbacks_set_02(uint8_t *at, uint64_t n);
void callbacks_set_03(uint8_t *at, uint64_t n);
void callbacks_set_04(uint8_t *at, uint64_t n);
void callbacks_set_05(uint8_t *at, uint64_t n);
void callbacks_set_06(uint8_t *at, uint64_t n);
void callbacks_set_07(uint8_t *at, uint64_t n);
void callbacks_set_f1(uint8_t *at, uint64_t n);
void callbacks_set_f2(uint8_t *at, uint64_t n);
void callbacks_set_f3(uint8_t *at, uint64_t n);
void callbacks_set_f5(uint8_t *at, uint64_t n);
void callbacks_set_f8(uint8_t *at, uint64_t n);
void callbacks_poison_stack(uint64_t at, uint64_t size);
void callbacks_unpoison_stack(uint64_t at, uint64_t size);
void callbacks_poison_alloca(uint64_t at, uint64_t size);
void callbacks_unpoison_allocas(uint64_t top, uint64_t bottom);
/* A call that does not return: longjmp() leaves frames without their end. */
void callbacks_no_return(void);
void callbacks_nothing(void);

#endif
