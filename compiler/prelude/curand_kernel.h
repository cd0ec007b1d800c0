/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The toolkit's header is for device code, which has it. Host code of cells allocates states and
 * passes them on, so it gets types of the same size, whose content is the device's own.
 */
#ifndef CGPU_CURAND_KERNEL_H
#define CGPU_CURAND_KERNEL_H

#define CGPU_CURAND_STATE(name, size, alignment)                                                   \
	typedef struct name {                                                                      \
		_Alignas(alignment) unsigned char of_the_device[size];                             \
	} name##_t, name;

CGPU_CURAND_STATE(curandStateXORWOW, 48, 8)
CGPU_CURAND_STATE(curandStatePhilox4_32_10, 64, 16)
CGPU_CURAND_STATE(curandStateMRG32k3a, 48, 8)
CGPU_CURAND_STATE(curandStateMtgp32, 4112, 8)
CGPU_CURAND_STATE(curandStateSobol32, 140, 4)
CGPU_CURAND_STATE(curandStateScrambledSobol32, 140, 4)
CGPU_CURAND_STATE(curandStateSobol64, 536, 8)
CGPU_CURAND_STATE(curandStateScrambledSobol64, 536, 8)
typedef curandStateXORWOW_t curandState_t, curandState;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#undef CGPU_CURAND_STATE

#endif
