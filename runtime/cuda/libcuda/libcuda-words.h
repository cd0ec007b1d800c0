/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of parameters and of arguments for functions that pass on so many words, whatever they are;
 * see libcuda-shim.c. */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_WORDS_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_WORDS_H

typedef long word;

#define P6 word a, word b, word c, word d, word e, word f
#define P7 P6, word g
#define P8 P7, word h
#define P9 P8, word i
#define P10 P9, word j
#define P11 P10, word k
#define P12 P11, word l
#define P14 P12, word m, word n
#define P15 P14, word o
#define P16 P15, word p
#define A6 a, b, c, d, e, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A14 A12, m, n
#define A15 A14, o
#define A16 A15, p

#endif
