/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a cell's last expression: its place in the syntax tree is taken by a call of
 * cgpu_display_value() with a copy of it, or with itself where it has a place. A class of C++ is
 * shown by cgpu_show::show() (prelude/cgpu-show.h), which gives back what it has no text for. For
 * compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_DISPLAY_HH
#define CGPU_COMPILER_CLANG_DISPLAY_HH

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <string>

struct clang_display {
	bool shows = false; /* there is a value, whose bytes cgpu_display_value() gets */
	std::string type, type_code;
};

/* That of the last statement of the function, which holds statements of the cell. */
clang_display clang_display_body(clang::Sema &S, clang::FunctionDecl *F);
/* The function of this name is called before that statement. False: it is not declared. */
bool clang_display_call_before(clang::Sema &S, clang::FunctionDecl *F, const char *name);

#endif
