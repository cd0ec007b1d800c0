/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics are told apart by clang's numbers and by the kind of their arguments, not by their
 * text, which changes with versions. The kind of a number is in clang-diagnostics.def. Arguments
 * are raw words, so their kind must be checked before each is read as a name, a type or a text. A
 * diagnostic with a guess has a counterpart without one that takes the same arguments: the shorter
 * text is made by formatting the description of that with the arguments of the first.
 */
#include "compiler/clang/job/clang-diagnostic.hh"

#include "common/code/unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclarationName.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/IdentifierTable.h>
#include <clang/Lex/LexDiagnostic.h>
#include <llvm/ADT/SmallString.h>

using namespace clang;

clang_diagnostic_kind clang_kind_of(unsigned id)
{
	switch (id) {
#define DIAGNOSTIC(kind, name)                                                                     \
	case diag::name:                                                                           \
		return CLANG_##kind;
#include "compiler/clang/job/clang-diagnostics.def"
#undef DIAGNOSTIC
	default:
		return CLANG_OTHER;
	}
}

/* Clang has no constants for the numbers of categories, so their names are compared. */
bool clang_is_of_parser(unsigned id)
{
	return DiagnosticIDs::getCategoryNameFromID(DiagnosticIDs::getCategoryNumberForDiag(id)) ==
	       "Parse Issue";
}

/* Returns the name of a declaration, which may be missing in a branch of the text that is not
 * taken. */
static std::string name_of(const NamedDecl *D)
{
	return D ? D->getNameAsString() : "";
}

std::string clang_argument_name(const Diagnostic &info, unsigned i)
{
	switch (info.getArgKind(i)) {
	case DiagnosticsEngine::ak_declarationname:
		return DeclarationName::getFromOpaqueInteger(info.getRawArg(i)).getAsString();
	case DiagnosticsEngine::ak_identifierinfo:
		return info.getArgIdentifier(i) ? info.getArgIdentifier(i)->getName().str() : "";
	case DiagnosticsEngine::ak_nameddecl:
		return name_of(reinterpret_cast<const NamedDecl *>(info.getRawArg(i)));
	default:
		return "";
	}
}

QualType clang_argument_type(const Diagnostic &info, unsigned i)
{
	if (i >= info.getNumArgs() || info.getArgKind(i) != DiagnosticsEngine::ak_qualtype)
		return QualType();
	return QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(i)));
}

std::string clang_name_of(const Diagnostic &info)
{
	std::string name;

	if (info.getID() == diag::err_pp_file_not_found)
		return info.getArgStdStr(0);
	for (unsigned i = 0; i < info.getNumArgs() && name.empty(); i++)
		name = clang_argument_name(info, i);
	return name;
}

/* The guess is an argument, in quotes, behind the name. */
std::string clang_guess_of(const Diagnostic &info)
{
	switch (info.getID()) {
	case diag::err_undeclared_var_use_suggest:
	case diag::err_undeclared_use_suggest:
	case diag::err_unknown_typename_suggest:
	case diag::err_no_template_suggest:
		return info.getArgKind(1) == DiagnosticsEngine::ak_std_string
			       ? StringRef(info.getArgStdStr(1)).trim('\'').str()
			       : "";
	default:
		return "";
	}
}

/* Pairs of a diagnostic with a guess and the same without; both have the same arguments. */
static const unsigned guesses[][2] = {
	{ diag::err_no_member_suggest, diag::err_no_member },
	{ diag::err_no_member_template_suggest, diag::err_no_member_template },
	{ diag::err_no_template_suggest, diag::err_no_template },
	{ diag::err_undeclared_use_suggest, diag::err_undeclared_use },
	{ diag::err_undeclared_var_use_suggest, diag::err_undeclared_var_use },
	{ diag::err_unknown_nested_typename_suggest, diag::err_typename_nested_not_found },
	{ diag::err_unknown_typename_suggest, diag::err_unknown_typename },
};

std::string clang_text_without_guess(const Diagnostic &info)
{
	llvm::SmallString<256> text;
	unsigned id = info.getID();

	for (const auto &pair : guesses)
		id = pair[0] == info.getID() ? pair[1] : id;
	StringRef said = info.getDiags()->getDiagnosticIDs()->getDescription(id);

	info.FormatDiagnostic(said.begin(), said.end(), text);
	return text.str().str();
}

bool clang_is_run(const Diagnostic &info)
{
	return StringRef(clang_name_of(info)).starts_with(UNIT_STATEMENTS);
}

std::string clang_incomplete_of(const Diagnostic &info)
{
	for (unsigned i = 0; i < info.getNumArgs(); i++) {
		QualType T = clang_argument_type(info, i);

		while (!T.isNull() && !T->getPointeeType().isNull())
			T = T->getPointeeType();
		const TagDecl *D =
			T.isNull() ? nullptr : T->getBaseElementTypeUnsafe()->getAsTagDecl();

		if (D && D->getIdentifier() && !D->getDefinition())
			return D->getName().str();
	}
	return "";
}

unsigned clang_wanted_of(const Diagnostic &info)
{
	if (clang_kind_of(info.getID()) != CLANG_FEW_ARGUMENTS)
		return 0;
	/* For a single argument clang gives its name in place of the number. */
	return info.getID() == diag::err_typecheck_call_too_few_args_one
		       ? 1
		       : (unsigned)info.getRawArg(1);
}
