/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM knows the call of inlined code, but emits it only in DWARF: its PTX has the line of the
 * code, not the function. PTX can express it (PTX ISA, `.loc`). The code generator preserves one
 * part of a location that can be chosen freely, its file: so each inlined place gets a file whose
 * name is a number, and in the PTX these files are replaced. LLVM 22 and later emit it themselves.
 */
#include "compiler/clang/device/clang-inlined.hh"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstring>

#define NAME "cgpu-inlined-"

std::string clang_path_of(const llvm::DIScope *scope)
{
	std::string name = scope->getFilename().str(), folder = scope->getDirectory().str();

	return folder.empty() || name.rfind('/', 0) == 0 ? name : folder + "/" + name;
}

long InlinedPlaces::find(const llvm::DILocation *L)
{
	const llvm::DILocation *call = L->getInlinedAt();
	const llvm::DISubprogram *function = L->getScope()->getSubprogram();

	if (!call || !function)
		return -1;
	llvm::StringRef symbol = function->getLinkageName().empty() ? function->getName()
								    : function->getLinkageName();
	auto key = std::make_tuple(symbol.str(), clang_path_of(L->getScope()), call);
	auto at = known.find(key);

	if (at != known.end())
		return at->second;
	long outer = find(call);

	place where = { clang_path_of(call->getScope()), call->getLine(), call->getColumn() };

	all.push_back({ symbol.str(), clang_path_of(L->getScope()), where, outer });
	known[key] = (long)all.size() - 1;
	return (long)all.size() - 1;
}

void InlinedPlaces::mark(llvm::Module &M)
{
	llvm::LLVMContext &C = M.getContext();

	for (llvm::Function &F : M) {
		if (!F.getSubprogram())
			continue;
		for (llvm::BasicBlock &B : F)
			for (llvm::Instruction &I : B) {
				const llvm::DILocation *L = I.getDebugLoc().get();
				long index = L ? find(L) : -1;

				if (index < 0)
					continue;
				auto *file = llvm::DIFile::get(C, NAME + std::to_string(index), "");
				auto *scope = llvm::DILexicalBlockFile::get(C, F.getSubprogram(),
									    file, 0);

				I.setDebugLoc(llvm::DILocation::get(C, L->getLine(), L->getColumn(),
								    scope));
			}
	}
}

/* Writes the PTX, line by line. */
class InlinedPlaces::Writer
{
      public:
	explicit Writer(const InlinedPlaces &places)
	    : all(places.all), has_name(places.all.size()), out(text)
	{
	}

	std::string write(llvm::StringRef ptx)
	{
		for_each_line(ptx, [&](llvm::StringRef line) { read_file(line); });
		for_each_line(ptx, [&](llvm::StringRef line) { put(line); });
		for (const auto &[path, number] : added)
			put_file(number, path);
		put_names();
		return text;
	}

      private:
	const std::vector<inlined> &all;
	/* By the number of the file in the PTX: index into `all`. */
	std::map<unsigned, long> ours;
	std::map<std::string, unsigned> numbers; /* of the other files */
	std::map<std::string, unsigned> added;   /* files without a line in the PTX */
	unsigned last = 0;
	std::vector<bool> has_name; /* for `all`: its function's name was written */
	std::string text;
	llvm::raw_string_ostream out;

	template <typename Each> static void for_each_line(llvm::StringRef ptx, Each each)
	{
		while (!ptx.empty()) {
			auto [line, rest] = ptx.split('\n');

			each(line);
			ptx = rest;
		}
	}

	/* Parses `.file 1 "In[1]"`. */
	static bool is_file(llvm::StringRef line, unsigned *ret_number, llvm::StringRef *ret_path)
	{
		line = line.trim();
		if (!line.consume_front(".file"))
			return false;
		line = line.ltrim();
		if (line.consumeInteger(10, *ret_number))
			return false;
		*ret_path = line.trim().trim('"');
		return true;
	}

	void read_file(llvm::StringRef line)
	{
		llvm::StringRef path;
		unsigned number;
		long index;

		if (!is_file(line, &number, &path))
			return;
		last = std::max(last, number);
		size_t at = path.rfind(NAME);

		if (at != llvm::StringRef::npos &&
		    !path.substr(at + strlen(NAME)).getAsInteger(10, index) &&
		    index < (long)all.size())
			ours[number] = index;
		else
			numbers[path.str()] = number;
	}

	/* Writes a file; a cell has no folder. */
	void put_file(unsigned number, llvm::StringRef path)
	{
		size_t cell = path.rfind("/In[");

		out << "\t.file\t" << number << " \""
		    << (cell == llvm::StringRef::npos ? path : path.substr(cell + 1)) << "\"\n";
	}

	unsigned number_of(const std::string &path)
	{
		auto at = numbers.find(path);

		if (at != numbers.end())
			return at->second;
		return added[path] = numbers[path] = ++last;
	}

	void put_place(const std::string &file, unsigned line, unsigned column)
	{
		out << number_of(file) << " " << line << " " << column;
	}

	/* Writes a place, behind the place of the call that it was inlined at, which ptxas expects
	 * among the earlier ones. */
	void put_location(const std::string &file, unsigned line, unsigned column, long index)
	{
		if (index >= 0)
			put_location(all[index].call.file, all[index].call.line,
				     all[index].call.column, all[index].outer);
		out << "\t.loc\t";
		put_place(file, line, column);
		if (index >= 0) {
			out << ", function_name $L__info_string" << index << ", inlined_at ";
			put_place(all[index].call.file, all[index].call.line,
				  all[index].call.column);
			has_name[index] = true;
		}
		out << "\n";
	}

	static bool take_number(llvm::StringRef &words, unsigned *ret)
	{
		words = words.ltrim();
		return !words.consumeInteger(10, *ret);
	}

	void put(llvm::StringRef line)
	{
		llvm::StringRef path, words = line.trim();
		unsigned number = 0, row = 0, column = 0;

		if (is_file(line, &number, &path)) {
			if (ours.count(number))
				return;
			put_file(number, path);
			return;
		}
		if (words.consume_front(".loc")) {
			if (take_number(words, &number) && ours.count(number) &&
			    take_number(words, &row) && take_number(words, &column)) {
				put_location(all[ours[number]].file, row, column, ours[number]);
				return;
			}
		}
		out << line << "\n";
	}

	void put_names()
	{
		bool any = false;

		for (size_t i = 0; i < all.size(); i++) {
			if (!has_name[i])
				continue;
			out << (any ? "" : "\t.section\t.debug_str\n\t{\n") << "$L__info_string"
			    << i << ":\n";
			for (char c : all[i].function)
				out << ".b8 " << (unsigned)(unsigned char)c << "\n";
			out << ".b8 0\n";
			any = true;
		}
		if (any)
			out << "\n\t}\n";
	}
};

std::string InlinedPlaces::rewrite(llvm::StringRef ptx) const
{
	return Writer(*this).write(ptx);
}
