/* SPDX-License-Identifier: Apache-2.0 */
/* The comment of a declaration as text for a reader. */
#ifndef CGPU_COMPILER_CLANG_COMMENT_HH
#define CGPU_COMPILER_CLANG_COMMENT_HH

#include <clang/AST/Decl.h>

#include <string>

/*
 * Returns the comment of a declaration as Markdown that reads well as plain text, too: Doxygen's
 * commands are replaced by what they mean. "": it has none. Comments without Doxygen's marks count
 * where clang was told to keep them (-fparse-all-comments).
 */
std::string clang_comment_text(const clang::Decl *D);
/* Does the same with the text of a comment, marks included. */
std::string clang_comment_text(clang::ASTContext &C, llvm::StringRef text);

#endif
