/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations of one machine: which help a type needs (a GOT slot, a stub that jumps through one)
 * and how the field is computed. A backend patches bytes only, so each can be tested on any
 * machine.
 */
#ifndef CGPU_RUNTIME_LOADER_RELOCATE_H
#define CGPU_RUNTIME_LOADER_RELOCATE_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct relocation {
	uint32_t type;
	unsigned char *at; /* the field's bytes in the image */
	uint64_t place;    /* P: the address that they will have */
	uint64_t symbol;   /* S: address of the symbol, or of its stub */
	int64_t addend;    /* A */
	uint64_t got;      /* address of the symbol's GOT slot, 0 if there is none */
	uint64_t got_base; /* address that _GLOBAL_OFFSET_TABLE_ stands for */
	const char *name;  /* of the symbol, for messages */
	uint64_t size;     /* Z: of the symbol */
};

enum relocation_need {
	RELOCATION_PLAIN,
	RELOCATION_GOT,        /* refers to the GOT slot */
	RELOCATION_CALL,       /* a call or jump: may go through a stub */
	RELOCATION_TLS_INDEX,  /* a pair in the GOT that tells where a thread-local variable is */
	RELOCATION_TLS_MODULE, /* the same for the unit's block of them */
	RELOCATION_TLS_OFFSET, /* from the start of that block */
	RELOCATION_TLS_DESCRIPTOR, /* a descriptor of the variable, whose first word is called */
	RELOCATION_TLS,            /* relative to the thread pointer, which a unit must not have */
	RELOCATION_UNKNOWN,
};

#define RELOCATE_STUB_MAX 16

struct relocate_arch {
	uint16_t machine; /* e_machine */
	size_t stub_size;
	enum relocation_need (*need)(uint32_t type);
	/* Bytes of the field. */
	size_t (*width)(uint32_t type);
	/* ERROR_LIMIT when the target is out of reach. */
	int (*apply)(const struct relocation *r, struct error *err);
	/* Code that jumps to where the GOT slot points. */
	void (*stub)(unsigned char *at, uint64_t place, uint64_t got);
	/* The same for the first word of descriptors: all registers are kept, see
	 * thread_local_resolve(). NULL: it has none. */
	void (*descriptor_stub)(unsigned char *at, uint64_t place, uint64_t got);
};

extern const struct relocate_arch relocate_x86_64;
extern const struct relocate_arch relocate_aarch64;

/* The one of the machine that we run on. */
const struct relocate_arch *relocate_native(void);

#endif
