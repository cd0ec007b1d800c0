/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A declaration that a macro makes is written where the macro is used. Clang's own search for the
 * comment of a declaration is not used here: it would read all comments of the precompiled header,
 * for each declaration of a cell.
 */
#include "compiler/clang/tree/clang-written.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RawCommentList.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace
{

/* Tells whether the text between a comment and a declaration lets them belong together: blanks, and
 * no empty line. */
bool is_adjacent(StringRef between)
{
	return between.trim().empty() && between.count('\n') <= 1;
}

/* Returns the offset at which the comment right above this place begins; the place if there is
 * none. */
unsigned comment_above(const ASTContext &C, FileID file, unsigned at)
{
	const SourceManager &SM = C.getSourceManager();
	const auto *comments = C.Comments.getCommentsInFile(file);
	StringRef text = SM.getBufferData(file);

	if (!comments)
		return at;
	auto next = comments->lower_bound(at);

	if (next == comments->begin())
		return at;
	const RawComment *above = std::prev(next)->second;
	unsigned end = SM.getFileOffset(above->getEndLoc());

	return end <= at && !above->isTrailingComment() && is_adjacent(text.slice(end, at))
		       ? std::prev(next)->first
		       : at;
}

} // namespace

clang_written clang_written_at(const Decl *D)
{
	const ASTContext &C = D->getASTContext();
	const SourceManager &SM = C.getSourceManager();
	const Decl *all = D->getDescribedTemplate();
	clang_written ret;

	/* The typedef that alone names a type has the type's text in its own. */
	if (const auto *tag = dyn_cast<TagDecl>(D); tag && !tag->getIdentifier())
		all = tag->getTypedefNameForAnonDecl();
	SourceRange range = (all ? all : D)->getSourceRange();

	if (range.isInvalid())
		return ret;
	auto begin = SM.getDecomposedLoc(SM.getExpansionLoc(range.getBegin()));
	SourceLocation last = SM.getExpansionRange(range.getEnd()).getEnd();
	auto end = SM.getDecomposedLoc(last);

	if (begin.first != SM.getMainFileID() || end.first != begin.first ||
	    end.second < begin.second)
		return ret;
	ret.code = begin.second;
	ret.begin = comment_above(C, begin.first, begin.second);
	ret.end = end.second + Lexer::MeasureTokenLength(last, SM, C.getLangOpts());
	return ret;
}
