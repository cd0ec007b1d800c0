/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of a name is looked up in the symbol table of clang's tooling library, by scope and
 * name. Both are read from the arguments of a diagnostic: the scope is the declaration context,
 * the name is the first argument that is a name but not a declaration. Only scopes that begin with
 * `std::` are looked up. The table ends before C++23: later headers are in a list here, and a name
 * of std that the table lacks is tried as the name of a header.
 */
#include "compiler/clang/job/clang-std.hh"

#include "compiler/clang/job/clang-diagnostic.hh"

#include <clang/AST/Decl.h>
#include <clang/AST/NestedNameSpecifier.h>
#include <clang/Basic/Version.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Tooling/Inclusions/StandardLibrary.h>

#include <algorithm>
#include <iterator>

using namespace clang;
using tooling::stdlib::Header;
using tooling::stdlib::Symbol;

namespace
{

/* Headers of C++23 and later, which clang's table lacks. */
const char *const newer_headers[] = { "<print>",          "<expected>",  "<generator>",
				      "<mdspan>",         "<flat_map>",  "<flat_set>",
				      "<inplace_vector>", "<debugging>", "<text_encoding>" };

bool is_header(const std::string &name)
{
	const auto end = std::end(newer_headers);

	return Header::named(name) || std::find(std::begin(newer_headers), end, name) != end;
}

/* Returns a scope such as "std::chrono::". */
std::string scope_of(const DeclContext *context)
{
	auto *N = dyn_cast_or_null<NamespaceDecl>(context);

	return N ? N->getQualifiedNameAsString() + "::" : "";
}

std::string header_of(llvm::StringRef scope, llvm::StringRef name)
{
	std::optional<Symbol> symbol = Symbol::named(scope, name);

	return symbol && !symbol->headers().empty() ? symbol->headers().front().name().str() : "";
}

} // namespace

std::string clang_std_header_of(llvm::StringRef name)
{
	return header_of("std::", name);
}

std::string clang_std_header(const Diagnostic &info)
{
	std::string name, scope;

	if (info.getID() == diag::err_pp_file_not_found) {
		std::string file = "<" + info.getArgStdStr(0) + ">";

		return is_header(file) ? file : "";
	}
	for (unsigned i = 0; i < info.getNumArgs(); i++) {
		if (info.getArgKind(i) == DiagnosticsEngine::ak_declcontext)
			scope = scope_of(reinterpret_cast<const DeclContext *>(info.getRawArg(i)));
		else if (name.empty() && info.getArgKind(i) != DiagnosticsEngine::ak_nameddecl)
			name = clang_argument_name(info, i);
	}
	std::string header = scope.rfind("std::", 0) ? "" : header_of(scope, name);

	if (!header.empty())
		return header;
	/* Other names are also the name of their header: std::chrono, std::expected. */
	if (name == "println")
		name = "print";
	return scope == "std::" && is_header("<" + name + ">") ? "<" + name + ">" : "";
}
