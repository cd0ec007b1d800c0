/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of session memory, which are the same in every worker. The zygote reserves the
 * whole map before anything else is mapped, so every worker finds the same addresses free and
 * pointers stay valid over a recovery.
 *
 *	0x100000000000  shadow: one byte for eight of the whole address space, in a worker that
 *	                checks a cell (runtime/memcheck/shadow.h); the compiler writes its address
 *	                into checked code
 *	0x200000000000  arena: one memfd, file offset = address - ARENA_BASE
 *	  + 0             META   header page, allocator state, loader tables, device tables
 *	  + 4 GiB         CODE   machine code and constants of units (read, execute)
 *	  + 4.25 GiB      DATA   GOT slots and variables of units; CODE and DATA lie within 2 GiB of
 *	                         each other, so that 32-bit PC-relative references between them
 *	                         reach
 *	  + 8 GiB         HEAP   what malloc() gives to cell code
 *	0x300000000000  device: addresses of device memory. Never mapped in the emulated case: a
 *	                host access faults
 *	0x380000000000  device alias: where the emulator maps the bytes, at device address +
 *	                DEVICE_ALIAS_OFFSET
 *
 * AddressSanitizer's own shadow ends below 0x200000000000.
 */
#ifndef CGPU_COMMON_MEMORY_ADDRESS_MAP_H
#define CGPU_COMMON_MEMORY_ADDRESS_MAP_H

#include <stdint.h>

#define MIB (1024ull * 1024)
#define GIB (1024ull * MIB)

#define SHADOW_BASE 0x100000000000ull
#define SHADOW_SIZE 0x100000000000ull
#define SHADOW_SHIFT 3

#define ARENA_BASE 0x200000000000ull
#define ARENA_PAGE 4096ull

#define ARENA_META_OFFSET 0ull
#define ARENA_META_SIZE (4 * GIB)
#define ARENA_CODE_OFFSET (4 * GIB)
#define ARENA_CODE_SIZE (256 * MIB)
#define ARENA_DATA_OFFSET (ARENA_CODE_OFFSET + ARENA_CODE_SIZE)
#define ARENA_DATA_SIZE (1536 * MIB)
#define ARENA_HEAP_OFFSET (8 * GIB)
#ifndef ARENA_HEAP_SIZE /* a test under an emulator, which keeps a record of each page, has a      \
			   small one */
#define ARENA_HEAP_SIZE (1024 * GIB)
#endif
#define ARENA_SIZE (ARENA_HEAP_OFFSET + ARENA_HEAP_SIZE)

#define DEVICE_BASE 0x300000000000ull
#define DEVICE_SIZE (1024 * GIB)
#define DEVICE_ALIAS_OFFSET 0x080000000000ull

static inline int address_in_arena(uint64_t a)
{
	return a - ARENA_BASE < ARENA_SIZE;
}

static inline int address_in_heap(uint64_t a)
{
	return a - (ARENA_BASE + ARENA_HEAP_OFFSET) < ARENA_HEAP_SIZE;
}

/*
 * What the first words of a heap block hold after free() (runtime/arena/heap-guard.h). As an
 * address it lies where nothing is mapped, so a fault there tells where the pointer was read.
 */
#define HEAP_FREED_WORD 0x6b6b6b6b6b6bull

static inline int address_is_freed_word(uint64_t a)
{
	return a - HEAP_FREED_WORD + 65536 < MIB;
}

static inline int address_in_device(uint64_t a)
{
	return a - DEVICE_BASE < DEVICE_SIZE;
}

#endif
