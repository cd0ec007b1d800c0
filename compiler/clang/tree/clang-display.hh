/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays the value of a cell's last expression: in the syntax tree the expression is replaced by
 * a call of cgpu_display_value() with a copy of it, or with its address if it has one. A C++ class
 * is shown by cgpu_show::show() (prelude/cgpu-show.h), which returns objects that it has no text
 * for. For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_DISPLAY_HH
#define CGPU_COMPILER_CLANG_DISPLAY_HH

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <string>

struct clang_display {
	bool shows = false; /* there is a value, whose bytes are passed to cgpu_display_value() */
	std::string type, type_code;
};

/* Displays the value of the last statement of the function, which has statements of the cell. */
clang_display clang_display_body(clang::Sema &S, clang::FunctionDecl *F);
/* Inserts a call of the named function before that statement. False: it is not declared. */
bool clang_display_call_before(clang::Sema &S, clang::FunctionDecl *F, const char *name);

#endif
