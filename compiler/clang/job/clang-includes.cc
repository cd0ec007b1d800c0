/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main text holds the #include lines of the session's cells, each under the #line of its cell.
 * The cell of a declaration in a file is found by going from its file up the chain of includes to
 * the main text, and by taking the presumed location, which #line sets, of the outermost #include.
 * Places in macros count where the macro is expanded. A definition of an earlier cell is turned
 * into a declaration in the syntax tree (body or initialiser removed), before code is made of it,
 * because its code is loaded already; inline functions and templates keep theirs.
 */
#include "compiler/clang/job/clang-includes.hh"

#include <cstring>

using namespace clang;

/* Returns where the main text includes, directly or not, the file that contains L; invalid outside
 * of included files. */
static PresumedLoc outermost_include(const SourceManager &SM, SourceLocation L)
{
	SourceLocation found;

	for (FileID F = SM.getFileID(SM.getExpansionLoc(L)); F.isValid() && F != SM.getMainFileID();
	     F = SM.getFileID(found)) {
		found = SM.getIncludeLoc(F);
		if (found.isInvalid())
			break;
	}
	return found.isValid() ? SM.getPresumedLoc(found) : PresumedLoc();
}

bool is_own_name(const clang_job *job, const char *file)
{
	bool is = !strcmp(file, job->name);

	for (size_t i = 0; i < job->n_files; i++)
		is |= !strcmp(file, job->files[i]);
	return is;
}

bool is_of_earlier_cell(const SourceManager &SM, SourceLocation L, const clang_job *job)
{
	PresumedLoc P = outermost_include(SM, L);

	return P.isValid() && !is_own_name(job, P.getFilename());
}

bool is_of_cell(const SourceManager &SM, SourceLocation where, const clang_job *job)
{
	SourceLocation L = SM.getExpansionLoc(where);
	PresumedLoc P = SM.getPresumedLoc(L);

	if (P.isValid() && is_own_name(job, P.getFilename()))
		return true;
	return SM.getFileID(L) != SM.getMainFileID() && !is_of_earlier_cell(SM, L, job);
}

void make_declaration(Decl *D)
{
	if (auto *F = dyn_cast<FunctionDecl>(D)) {
		bool defines = F->doesThisDeclarationHaveABody() && !F->isInlined() &&
			       !F->isTemplateInstantiation();

		if (defines && F->isExternallyVisible())
			F->setBody(nullptr);
	} else if (auto *V = dyn_cast<VarDecl>(D)) {
		if (V->isExternallyVisible() && V->isFileVarDecl() && !V->isInline() &&
		    V->getTemplateSpecializationKind() == TSK_Undeclared) {
			V->setInit(nullptr);
			V->setStorageClass(SC_Extern);
		}
	}
}

unsigned defined_by_include(const SourceManager &SM, const NamedDecl *N, const clang_job *job)
{
	auto *F = dyn_cast<FunctionDecl>(N);
	auto *V = dyn_cast<VarDecl>(N);
	bool defines = F ? F->isThisDeclarationADefinition() && !F->isInlined()
			 : V && V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;

	if (!defines || !N->isExternallyVisible())
		return 0;
	PresumedLoc P = outermost_include(SM, N->getLocation());

	return P.isValid() && is_own_name(job, P.getFilename()) ? P.getLine() : 0;
}

bool is_of_flags(const SourceManager &SM, SourceLocation where)
{
	FileID F = SM.getFileID(SM.getExpansionLoc(where));

	while (SM.getIncludeLoc(F).isValid())
		F = SM.getFileID(SM.getIncludeLoc(F));
	return F.isValid() && SM.getBufferOrFake(F).getBufferIdentifier() == "<built-in>";
}

std::string place_include(const SourceManager &SM, SourceLocation where, clang_diagnostic *d)
{
	SourceLocation L = SM.getExpansionLoc(where);
	PresumedLoc P = outermost_include(SM, L);
	bool invalid = false;

	if (P.isInvalid())
		return "";
	StringRef text = SM.getBufferData(SM.getFileID(L), &invalid);
	size_t at = SM.getFileOffset(L);

	d->include_file = P.getFilename();
	d->include_line = P.getLine();
	if (invalid || at > text.size())
		return "";
	size_t start = text.substr(0, at).rfind('\n');

	start = start == StringRef::npos ? 0 : start + 1;
	return text.slice(start, text.find('\n', start)).str();
}
