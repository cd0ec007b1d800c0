/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What prelude/cgpu-show.h asks of a type and C++ cannot say: the members of a class by their
 * names, private ones and those of its bases too, and the name of an enumerator. The header
 * declares two function templates; the bodies of their instances are made here, from the syntax
 * tree. For the C++ sources of compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_MEMBERS_HH
#define CGPU_COMPILER_CLANG_MEMBERS_HH

#include <clang/Sema/Sema.h>

/* Those that the file uses, behind its last declaration. */
void clang_members_define(clang::Sema &S);

#endif
