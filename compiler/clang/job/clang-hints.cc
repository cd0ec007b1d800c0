/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang says what is wrong, but not what to write instead in a notebook, or in CUDA. A row here is
 * a diagnostic that has one answer for nearly everybody who gets it.
 */
#include "compiler/clang/job/clang-hints.hh"

#include "compiler/clang/job/clang-diagnostic.hh"
#include "compiler/clang/job/clang-std.hh"

extern "C" {
#include "common/text/near-name.h"
}

#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace
{

#define FOR_DEVICE_TOO                                                                             \
	"a function of the host: with __host__ __device__ in front of it, device code can call "   \
	"it too"
#define FOR_HOST_TOO                                                                               \
	"a function of the device: with __host__ __device__ in front of it, host code can call "   \
	"it too"

#define OF_A_LIBRARY "a function of a library for the host, which device code cannot call"

bool is_of_a_library(const Diagnostic &info, SourceLocation where)
{
	return where.isValid() && info.getSourceManager().isInSystemHeader(where);
}

std::string name_of(const Diagnostic &info, unsigned argument)
{
	std::string name = clang_argument_name(info, argument);

	return name.empty() ? "it is " : "'" + name + "' is ";
}

/* The order in which the texts of these diagnostics number the marks of a function. */
enum mark { FOR_DEVICE, FOR_LAUNCH, FOR_HOST };

bool has_mark(const Diagnostic &info, unsigned argument, mark wanted)
{
	return info.getRawArg(argument) == wanted;
}

/* Hint for "reference to __host__ variable 'count' in __global__ function": the arguments are its
 * mark, whether it is a variable, and its name. */
std::string hint_of_reference(const Diagnostic &info)
{
	if (has_mark(info, 0, FOR_DEVICE) && has_mark(info, 3, FOR_HOST))
		return name_of(info, 2) + "a function of device code: call it in a kernel, or in a "
					  "function with __device__";
	if (!has_mark(info, 0, FOR_HOST))
		return "";
	if (info.getRawArg(1))
		return name_of(info, 2) + "a variable of the host: hand its value over as an "
					  "argument, or make it __device__ or __managed__";
	auto *N = reinterpret_cast<const NamedDecl *>(info.getRawArg(2));

	return name_of(info, 2) +
	       (is_of_a_library(info, N->getLocation()) ? OF_A_LIBRARY : FOR_DEVICE_TOO);
}

/* Hint for "candidate function not viable: call to __host__ function from __global__ function": the
 * last two arguments are the marks of both. */
std::string hint_of_candidate(const Diagnostic &info)
{
	if (has_mark(info, 3, FOR_HOST))
		return is_of_a_library(info, info.getLocation()) ? "it is " OF_A_LIBRARY
								 : "it is " FOR_DEVICE_TOO;
	if (has_mark(info, 3, FOR_DEVICE) && !has_mark(info, 4, FOR_LAUNCH))
		return "it is " FOR_HOST_TOO;
	return "";
}

/* Hint for a `void *` where another pointer is needed; it names the type. */
std::string hint_of_conversion(const Diagnostic &info, unsigned wanted, unsigned given)
{
	QualType to = clang_argument_type(info, wanted), from = clang_argument_type(info, given);

	if (to.isNull() || from.isNull() || !to->isPointerType() || !from->isVoidPointerType())
		return "";
	return "C++ does not make another pointer of a `void *` by itself: write `(" +
	       to.getUnqualifiedType().getAsString() + ")` in front of it";
}

struct known_name {
	const char *name, *hint;
};

std::string hint_of_name(const Diagnostic &info, llvm::ArrayRef<known_name> known)
{
	std::string name = clang_name_of(info);

	for (const known_name &k : known)
		if (name == k.name)
			return k.hint;
	return "";
}

#define DEVICE_ONLY "threadIdx, blockIdx, blockDim and gridDim are there in device code only"

#define SAYS_WHO "CUDA has it no more. It is "
#define FULL_MASK                                                                                  \
	", whose mask says which threads of the warp take part: 0xffffffff for all of them"

const known_name unknown_names[] = {
	{ "__shfl", SAYS_WHO "__shfl_sync(mask, value, lane)" FULL_MASK },
	{ "__shfl_up", SAYS_WHO "__shfl_up_sync(mask, value, delta)" FULL_MASK },
	{ "__shfl_down", SAYS_WHO "__shfl_down_sync(mask, value, delta)" FULL_MASK },
	{ "__shfl_xor", SAYS_WHO "__shfl_xor_sync(mask, value, lanes)" FULL_MASK },
	{ "__any", SAYS_WHO "__any_sync(mask, value)" FULL_MASK },
	{ "__all", SAYS_WHO "__all_sync(mask, value)" FULL_MASK },
	{ "__ballot", SAYS_WHO "__ballot_sync(mask, value)" FULL_MASK },
	{ "threadIdx", DEVICE_ONLY },
	{ "blockIdx", DEVICE_ONLY },
	{ "blockDim", DEVICE_ONLY },
	{ "gridDim", DEVICE_ONLY },
	{ "texture", "CUDA has no texture references since version 12: make an object with "
		     "cudaCreateTextureObject()" },
};

/* Names of the C++ library that are often written without `std::`, and seldom mean something
 * else. */
const char *const std_names[] = {
	"accumulate", "array",         "bitset",        "cerr",           "cin",
	"complex",    "cout",          "deque",         "endl",           "fixed",
	"function",   "getline",       "ifstream",      "iota",           "istringstream",
	"list",       "make_pair",     "make_shared",   "make_tuple",     "make_unique",
	"map",        "multimap",      "multiset",      "mutex",          "ofstream",
	"optional",   "ostringstream", "pair",          "priority_queue", "queue",
	"set",        "setprecision",  "setw",          "shared_ptr",     "sort",
	"stack",      "stod",          "stoi",          "string",         "stringstream",
	"swap",       "thread",        "to_string",     "transform",      "tuple",
	"unique_ptr", "unordered_map", "unordered_set", "variant",        "vector",
};

/* Those of them that mean nothing else: clang's guess in C is a name that looks like it. */
const char *const stream_names[] = { "cin", "cout", "cerr", "endl" };

/* Words that clang does not guess: of the language, and of functions that are called before they
 * are known. */
const char *const common_words[] = {
	"char",
	"const",
	"double",
	"float",
	"int",
	"long",
	"return",
	"short",
	"signed",
	"sizeof",
	"static",
	"struct",
	"unsigned",
	"void",
	"while",
	"calloc",
	"free",
	"fprintf",
	"malloc",
	"memcpy",
	"memset",
	"printf",
	"puts",
	"scanf",
	"strcmp",
	"strcpy",
	"strlen",
	"cudaMalloc",
	"cudaFree",
	"cudaMemcpy",
	"cudaDeviceSynchronize",
};

/* Returns the common word that differs from the name by a typing error; "": none does. */
std::string near_common_word(const std::string &name)
{
	size_t least = near_name_limit(name.c_str()) + 1;
	std::string best;

	for (const char *word : common_words) {
		size_t edits = near_name_edits(name.c_str(), word);

		if (edits < least) {
			least = edits;
			best = word;
		}
	}
	return best;
}

/* Tells whether the diagnostic is at a name that something is assigned to. */
bool is_assigned_to(const Diagnostic &info, const std::string &name)
{
	const SourceManager &sources = info.getSourceManager();
	bool invalid = false;
	const char *at = sources.getCharacterData(info.getLocation(), &invalid);

	if (invalid || strncmp(at, name.c_str(), name.size()))
		return false;
	at += name.size();
	at += strspn(at, " \t");
	return at[0] == '=' && at[1] != '=';
}

/* Hint for a name without a guess of clang: its header is not included, or clang would suggest
 * `std::`; it is a typing error of what clang does not look for; or it has no type. */
std::string hint_of_unknown(const Diagnostic &info)
{
	std::string name = clang_name_of(info), hint = hint_of_name(info, unknown_names), word;
	bool guessed = !clang_guess_of(info).empty() && !llvm::is_contained(stream_names, name);

	if (!hint.empty() || guessed)
		return hint;
	if (llvm::is_contained(std_names, name))
		return "if std::" + name + " is meant: `#include " + clang_std_header_of(name) +
		       "`, and write `std::" + name + "`";
	word = near_common_word(name);
	if (!word.empty())
		return "did you mean '" + word + "'?";
	if (info.getID() == diag::err_undeclared_var_use && is_assigned_to(info, name))
		return "a variable is declared with its type before it is used: `int " + name +
		       " = ...;`";
	return "";
}

/* Former members of struct cudaDeviceProp. */
const known_name gone_members[] = {
	{ "clockRate", "it is gone since CUDA 13: cudaDeviceGetAttribute(&value, "
		       "cudaDevAttrClockRate, device) tells it" },
	{ "memoryClockRate", "it is gone since CUDA 13: cudaDeviceGetAttribute(&value, "
			     "cudaDevAttrMemoryClockRate, device) tells it" },
	{ "deviceOverlap", "it is gone since CUDA 13: asyncEngineCount tells it" },
	{ "kernelExecTimeoutEnabled", "it is gone since CUDA 13: cudaDeviceGetAttribute(&value, "
				      "cudaDevAttrKernelExecTimeout, device) tells it" },
	{ "computeMode", "it is gone since CUDA 13: cudaDeviceGetAttribute(&value, "
			 "cudaDevAttrComputeMode, device) tells it" },
};

std::string hint_of_member(const Diagnostic &info)
{
	QualType T = clang_argument_type(info, 1);
	const TagDecl *D = T.isNull() ? nullptr : T->getAsTagDecl();

	if (!D && info.getNumArgs() > 1 && info.getArgKind(1) == DiagnosticsEngine::ak_declcontext)
		D = dyn_cast_or_null<TagDecl>(
			reinterpret_cast<const DeclContext *>(info.getRawArg(1)));
	return D && D->getName() == "cudaDeviceProp" ? hint_of_name(info, gone_members) : "";
}

/* Hint for `k << 1, 2 >> (d)`. */
std::string hint_of_operands(const Diagnostic &info)
{
	QualType T = clang_argument_type(info, 0);
	auto *F = T.isNull() ? nullptr : T->getAs<FunctionType>();

	return F && F->getReturnType()->isVoidType()
		       ? "a launch is written kernel<<<grid, block>>>(arguments)"
		       : "";
}

} // namespace

std::string clang_hint(const Diagnostic &info)
{
	switch (info.getID()) {
	case diag::err_ref_bad_target:
		return hint_of_reference(info);
	case diag::err_global_call_not_config:
		return "a CUDA kernel is launched with " + clang_name_of(info) +
		       "<<<grid, block>>>(arguments)";
	case diag::note_ovl_candidate_bad_target:
		return hint_of_candidate(info);
	case diag::err_init_conversion_failed:
		return hint_of_conversion(info, 1, 3);
	case diag::err_typecheck_convert_incompatible:
		return hint_of_conversion(info, 0, 1);
	case diag::err_vla_decl_in_file_scope:
	case diag::err_vm_decl_in_file_scope:
		return "a variable of a cell lives on, so its size must be constant: use an "
		       "integer constant or #define, or malloc()";
	case diag::err_function_definition_not_allowed:
		return "there are no functions inside functions: define it at the top of a cell";
	case diag::ext_return_has_expr:
		return clang_is_run(info) ? "a cell is no function: leave the value as last line, "
					    "without `;`, to show it"
					  : "";
	case diag::err_typecheck_invalid_operands:
		return hint_of_operands(info);
	case diag::err_no_member:
	case diag::err_no_member_suggest:
		return hint_of_member(info);
	default:
		return clang_kind_of(info.getID()) == CLANG_UNKNOWN ? hint_of_unknown(info) : "";
	}
}
