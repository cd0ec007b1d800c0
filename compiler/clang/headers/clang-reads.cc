/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang reads declarations of a precompiled header one by one, on demand. Their numbers are the
 * same each time, for the same file. Some are read only as declarations, others with bodies for
 * code generation.
 */
#include "compiler/clang/headers/clang-reads.hh"

#include <clang/AST/Decl.h>
#include <clang/AST/ExternalASTSource.h>
#include <llvm/ADT/DenseSet.h>

using namespace clang;

namespace
{

constexpr size_t REMEMBERED_MAX = 20000; /* declarations: they take 100 ms */
constexpr size_t STEP = 200;

struct Remembered {
	HeaderReads::id ID;
	bool body;
};

/* The list of the header that cells used last. */
struct {
	std::string header;
	clang_header_version version;
	size_t given = 0; /* the length of `given` when the list began */
	std::vector<Remembered> all;
	llvm::DenseSet<HeaderReads::id> declarations, bodies;
} remembered;

void forget()
{
	remembered.all.clear();
	remembered.declarations.clear();
	remembered.bodies.clear();
}

void remember(HeaderReads::id ID, bool body)
{
	if ((body ? remembered.bodies : remembered.declarations).insert(ID).second)
		remembered.all.push_back({ ID, body });
}

} // namespace

void HeaderReads::begin(const std::string &header, const clang_header_version &version)
{
	bool is_same = header == remembered.header && version == remembered.version;

	if (is_same && remembered.all.size() <= REMEMBERED_MAX)
		return;
	remembered.header = header;
	remembered.version = version;
	remembered.given = 0;
	forget();
}

bool HeaderReads::read_ahead(CompilerInstance &CI)
{
	ExternalASTSource *from = CI.getASTContext().getExternalSource();
	size_t end = std::min(n_ahead + STEP, remembered.all.size());

	if (!from || n_ahead >= end)
		return false;
	ExternalASTSource::Deserializing all_at_once(from);
	for (; n_ahead < end; n_ahead++) {
		Decl *D = from->GetExternalDecl(remembered.all[n_ahead].ID);

		if (auto *F = dyn_cast_or_null<FunctionDecl>(D); F && remembered.all[n_ahead].body)
			F->getBody();
	}
	return n_ahead < remembered.all.size();
}

void HeaderReads::stop()
{
	by_cell = true;
}

void HeaderReads::DeclRead(id ID, const Decl *)
{
	if (by_cell)
		read.push_back(ID);
}

void HeaderReads::keep(const llvm::Module &M, CodeGenerator &declarations, llvm::StringRef given)
{
	if (given.size() > 2 * remembered.given) {
		forget();
		remembered.given = given.size();
	}
	for (id ID : read)
		remember(ID, false);
	for (const llvm::Function &F : M) {
		const Decl *D = F.isDeclaration() ? nullptr
						  : declarations.GetDeclForMangledName(F.getName());

		if (D && D->isFromASTFile())
			remember(D->getGlobalID(), true);
	}
}
