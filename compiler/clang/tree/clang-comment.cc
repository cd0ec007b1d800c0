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
#include <clang/Basic/CharInfo.h>
#include <llvm/ADT/StringSwitch.h>

using namespace clang;

namespace
{

/* Returns where the trailing punctuation of an argument begins, which Doxygen takes for a part of
 * it: `dst,` in "\p dst, \p src". A bracket belongs to it if its other half does. */
size_t end_of_argument(StringRef text)
{
	size_t end = text.size();

	while (end && StringRef(".,;:!?)]\"'").contains(text[end - 1])) {
		StringRef kept = text.take_front(end);

		if (kept.back() == ')' && kept.count('(') == kept.count(')'))
			break;
		if (kept.back() == ']' && kept.count('[') == kept.count(']'))
			break;
		end--;
	}
	return end;
}

bool is_name_part(char c)
{
	return isAlphanumeric(c) || c == '_';
}

/* Returns the text with the names that Doxygen makes links of, `::cudaMemcpy()`, as code. */
std::string with_names(StringRef text)
{
	std::string out;
	size_t at = 0, found;

	while ((found = text.find("::", at)) != StringRef::npos) {
		size_t begin = found + 2, end = begin;
		bool is_link = !found || !(is_name_part(text[found - 1]) ||
					   StringRef(":>)`").contains(text[found - 1]));

		while (end < text.size() &&
		       (is_name_part(text[end]) || text.substr(end).starts_with("::")))
			end += is_name_part(text[end]) ? 1 : 2;
		if (text.substr(end).starts_with("()"))
			end += 2;
		out += text.slice(at, found);
		out += is_link && end > begin ? "`" + text.slice(begin, end).str() + "`"
					      : text.slice(found, end).str();
		at = end;
	}
	return out + text.substr(at).str();
}

/* Returns where the title of \ref ends in the text behind its name, `void *) "x (C API)", y`; 0: it
 * has none. */
size_t end_of_title(StringRef name, StringRef text)
{
	size_t open = text.find('"'),
	       close = open == StringRef::npos ? open : text.find('"', open + 1);
	bool is_next = text.ltrim().starts_with("\"") || name.count('(') > name.count(')');

	return close == StringRef::npos || !is_next ? 0 : close + 1;
}

/* Returns the explanation of a parameter without the dash that some put in front. */
std::string without_dash(StringRef text)
{
	return (text.starts_with("- ") ? text.drop_front(2) : text).ltrim().str();
}

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
		size_t title = 0; /* so much of the next text is one */

		for (auto it = P->child_begin(); it != P->child_end(); ++it) {
			const auto *inline_part = cast<comments::InlineContentComment>(*it);
			std::string part;

			if (auto *T = dyn_cast<comments::TextComment>(inline_part)) {
				StringRef line = T->getText().substr(title);

				part = with_names(new_line ? line.ltrim() : line);
				title = 0;
			} else if (auto *I =
					   dyn_cast<comments::InlineCommandComment>(inline_part)) {
				StringRef next = text_behind(P, it);

				title = title_of(traits, I, next);
				part = title ? next.take_front(title)
						       .split('"')
						       .second.drop_back()
						       .str()
					     : inline_text(traits, I);
			}
			text += part;
			new_line = inline_part->hasTrailingNewline();
			if (new_line)
				text = StringRef(text).rtrim().str() + "\n";
		}
		return StringRef(text).trim().str();
	}

	/* Returns the text that follows a part of a paragraph; "": another part does. */
	static StringRef text_behind(const comments::ParagraphComment *P,
				     comments::Comment::child_iterator it)
	{
		const auto *T =
			++it == P->child_end() ? nullptr : dyn_cast<comments::TextComment>(*it);

		return T ? T->getText() : "";
	}

	static size_t title_of(const comments::CommandTraits &traits,
			       const comments::InlineCommandComment *I, StringRef next)
	{
		return I->getCommandName(traits) == "ref" && I->getNumArgs()
			       ? end_of_title(I->getArgText(0), next)
			       : 0;
	}

	/* Returns what \c, \p, \e, \b and the like show; a command without an argument is a
	 * mark for Doxygen alone. */
	static std::string inline_text(const comments::CommandTraits &traits,
				       const comments::InlineCommandComment *I)
	{
		bool is_code = llvm::StringSwitch<bool>(I->getCommandName(traits))
				       .Cases("c", "p", "a", "ref", true)
				       .Default(false);
		std::string text;

		for (unsigned i = 0; i < I->getNumArgs(); i++)
			text += (i ? " " : "") + I->getArgText(i).str();
		if (!is_code)
			return with_names(text);

		size_t end = end_of_argument(text);
		StringRef name = StringRef(text).take_front(end);

		name.consume_front("::");
		return name.empty() ? text : "`" + name.str() + "`" + text.substr(end);
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
		std::string said = without_dash(text);

		begin(true);
		out += "- `" + name.str() + "`" + direction.str() + (said.empty() ? "" : ": ") +
		       said;
	}

	/* Tells whether the command is the beginning of another one, which nobody knows: \note of
	 * \note_init_rt. */
	static bool is_part(const comments::BlockCommandComment *B)
	{
		const comments::ParagraphComment *P = B->getParagraph();
		const auto *T = P && P->child_begin() != P->child_end()
					? dyn_cast<comments::TextComment>(*P->child_begin())
					: nullptr;

		return T && T->getText().starts_with("_");
	}

	void add_command(const comments::BlockCommandComment *B)
	{
		std::string text = B->getParagraph() ? lines_of(traits, B->getParagraph()) : "";
		bool has_label = !is_part(B);

		if (!has_label)
			text = StringRef(text).substr(text.find_first_of(" \n")).ltrim().str();

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
		out += (has_label ? label_of(B->getCommandName(traits)) : "") + arguments + text;
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
