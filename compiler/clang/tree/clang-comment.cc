/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang's parser of Doxygen makes a tree of a comment: paragraphs, commands with a paragraph, and
 * text that is to be shown as it is. A command that clang does not know is left out; its paragraph
 * stays.
 */
#include "compiler/clang/tree/clang-comment.hh"

#include "compiler/clang/tree/clang-written.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Comment.h>
#include <clang/AST/CommentCommandTraits.h>
#include <llvm/ADT/StringSwitch.h>

using namespace clang;

namespace
{

class CommentText
{
      public:
	explicit CommentText(const comments::CommandTraits &traits) : traits(traits)
	{
	}

	std::string of(const comments::FullComment *all)
	{
		for (const comments::BlockContentComment *block : all->getBlocks())
			add_block(block);
		return out;
	}

      private:
	const comments::CommandTraits &traits;
	std::string out;
	bool behind_item = false;

	/* Begins a paragraph, or an item of a list. */
	void begin(bool is_item)
	{
		if (!out.empty())
			out += is_item && behind_item ? "\n" : "\n\n";
		behind_item = is_item;
	}

	/* Returns the text of a paragraph: its lines without blanks at both ends. */
	static std::string lines_of(const comments::CommandTraits &traits,
				    const comments::ParagraphComment *P)
	{
		std::string text;
		bool new_line = true;

		for (auto it = P->child_begin(); it != P->child_end(); ++it) {
			const auto *inline_part = cast<comments::InlineContentComment>(*it);
			std::string part;

			if (auto *T = dyn_cast<comments::TextComment>(inline_part))
				part = (new_line ? T->getText().ltrim() : T->getText()).str();
			else if (auto *I = dyn_cast<comments::InlineCommandComment>(inline_part))
				part = inline_text(traits, I);
			text += part;
			new_line = inline_part->hasTrailingNewline();
			if (new_line)
				text = StringRef(text).rtrim().str() + "\n";
		}
		return StringRef(text).trim().str();
	}

	/* Returns what \c, \p, \e, \b and the like show; a command without an argument is a
	 * mark for Doxygen alone. */
	static std::string inline_text(const comments::CommandTraits &traits,
				       const comments::InlineCommandComment *I)
	{
		bool is_code = llvm::StringSwitch<bool>(I->getCommandName(traits))
				       .Cases("c", "p", "a", true)
				       .Default(false);
		std::string text;

		for (unsigned i = 0; i < I->getNumArgs(); i++)
			text += (i ? " " : "") + I->getArgText(i).str();
		return is_code && !text.empty() ? "`" + text + "`" : text;
	}

	static std::string label_of(StringRef command)
	{
		return llvm::StringSwitch<std::string>(command)
			.Cases("return", "returns", "result", "Returns: ")
			.Cases("retval", "exception", "throw", "throws", "")
			.Cases("note", "remark", "remarks", "Note: ")
			.Cases("warning", "attention", "Warning: ")
			.Cases("see", "sa", "See ")
			.Case("deprecated", "Deprecated: ")
			.Case("since", "Since ")
			.Case("pre", "Before: ")
			.Case("post", "After: ")
			.Default("");
	}

	void add_parameter(StringRef name, StringRef direction, const std::string &text)
	{
		begin(true);
		out += "- `" + name.str() + "`" + direction.str() + (text.empty() ? "" : ": ") +
		       text;
	}

	void add_command(const comments::BlockCommandComment *B)
	{
		std::string text = B->getParagraph() ? lines_of(traits, B->getParagraph()) : "";

		if (auto *P = dyn_cast<comments::ParamCommandComment>(B)) {
			StringRef directions[] = { "", " (output)", " (input and output)" };

			if (P->hasParamName())
				add_parameter(P->getParamNameAsWritten(),
					      directions[(unsigned)P->getDirection()], text);
			return;
		}
		if (auto *P = dyn_cast<comments::TParamCommandComment>(B)) {
			if (P->hasParamName())
				add_parameter(P->getParamNameAsWritten(), "", text);
			return;
		}
		std::string arguments;

		for (unsigned i = 0; i < B->getNumArgs(); i++)
			arguments += "`" + B->getArgText(i).str() + "` ";
		if (text.empty() && arguments.empty())
			return;
		begin(false);
		out += label_of(B->getCommandName(traits)) + arguments + text;
	}

	void add_verbatim(const comments::VerbatimBlockComment *V)
	{
		begin(false);
		out += "```\n";
		for (unsigned i = 0; i < V->getNumLines(); i++)
			out += V->getText(i).rtrim().str() + "\n";
		out += "```";
	}

	void add_block(const comments::BlockContentComment *block)
	{
		if (auto *V = dyn_cast<comments::VerbatimBlockComment>(block)) {
			add_verbatim(V);
		} else if (isa<comments::VerbatimLineComment>(block)) {
			return; /* \fn and the like say to which declaration the comment belongs */
		} else if (auto *B = dyn_cast<comments::BlockCommandComment>(block)) {
			add_command(B);
		} else if (auto *P = dyn_cast<comments::ParagraphComment>(block)) {
			std::string text = lines_of(traits, P);

			if (text.empty())
				return;
			begin(false);
			out += text;
		}
	}
};

} // namespace

std::string clang_comment_text(const Decl *D)
{
	ASTContext &C = D->getASTContext();
	const SourceManager &SM = C.getSourceManager();
	SourceLocation at = SM.getExpansionLoc(D->getLocation());

	/* Clang would read all comments of the precompiled header first. */
	if (SM.isInMainFile(at)) {
		clang_written written = clang_written_at(D);
		StringRef text = SM.getBufferData(SM.getMainFileID());

		return written.begin < written.code
			       ? clang_comment_text(C, text.slice(written.begin, written.code))
			       : "";
	}
	const comments::FullComment *all = C.getCommentForDecl(D, nullptr);

	return all ? CommentText(C.getCommentCommandTraits()).of(all) : "";
}

std::string clang_comment_text(ASTContext &C, StringRef text)
{
	SourceManager &SM = C.getSourceManager();
	SourceLocation begin = SM.getLocForStartOfFile(
		SM.createFileID(llvm::MemoryBuffer::getMemBufferCopy(text.trim(), "comment")));
	RawComment comment(SM, SourceRange(begin, begin.getLocWithOffset((int)text.trim().size())),
			   C.getLangOpts().CommentOpts, true);

	return CommentText(C.getCommentCommandTraits()).of(comment.parse(C, nullptr, nullptr));
}
