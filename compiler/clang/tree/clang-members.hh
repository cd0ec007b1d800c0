/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflection for prelude/cgpu-show.h that C++ lacks: the members of a class with their names,
 * including private ones and those of bases, and the name of an enumerator. The header declares two
 * function templates; the bodies of their instances are made here, from the syntax tree. For the
 * C++ sources of compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_MEMBERS_HH
#define CGPU_COMPILER_CLANG_MEMBERS_HH

#include <clang/Sema/Sema.h>

/* Defines the instances that the file uses, behind its last declaration. */
void clang_members_define(clang::Sema &S);

#endif
