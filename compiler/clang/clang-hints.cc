/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang says which of host and device a name is for, but not what to write. A row here is a diagnostic that has one answer
 * for nearly everybody who meets it.
 */
#include "compiler/clang/clang-hints.hh"

#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace
{

#define FOR_DEVICE_TOO "a function of the host: with __host__ __device__ in front of it, device code can call it too"
#define FOR_HOST_TOO "a function of the device: with __host__ __device__ in front of it, host code can call it too"

#define OF_A_LIBRARY "a function of a library for the host, which device code cannot call"

bool is_of_a_library(const Diagnostic &info, SourceLocation where)
{
	return where.isValid() && info.getSourceManager().isInSystemHeader(where);
}

std::string name_of(const Diagnostic &info, unsigned argument)
{
	auto *N = reinterpret_cast<const NamedDecl *>(info.getRawArg(argument));

	return info.getArgKind(argument) == DiagnosticsEngine::ak_nameddecl ? "'" + N->getNameAsString() + "' is " : "it is ";
}

std::string plain_name(const Diagnostic &info, unsigned argument)
{
	auto *N = reinterpret_cast<const NamedDecl *>(info.getRawArg(argument));

	return info.getArgKind(argument) == DiagnosticsEngine::ak_nameddecl ? N->getNameAsString() : "kernel";
}

/* As the texts of these diagnostics count the marks of a function. */
enum mark { FOR_DEVICE, FOR_LAUNCH, FOR_HOST };

bool has_mark(const Diagnostic &info, unsigned argument, mark wanted)
{
	return info.getRawArg(argument) == wanted;
}

/* "reference to __host__ variable 'count' in __global__ function": its mark, is it a variable, what. */
std::string hint_of_reference(const Diagnostic &info)
{
	if (!has_mark(info, 0, FOR_HOST))
		return "";
	if (info.getRawArg(1))
		return name_of(info, 2) + "a variable of the host: hand its value over as an argument, or make it __device__ or "
					  "__managed__";
	auto *N = reinterpret_cast<const NamedDecl *>(info.getRawArg(2));

	return name_of(info, 2) + (is_of_a_library(info, N->getLocation()) ? OF_A_LIBRARY : FOR_DEVICE_TOO);
}

/* "candidate function not viable: call to __host__ function from __global__ function": the marks of both are the last two. */
std::string hint_of_candidate(const Diagnostic &info)
{
	if (has_mark(info, 3, FOR_HOST))
		return is_of_a_library(info, info.getLocation()) ? "it is " OF_A_LIBRARY : "it is " FOR_DEVICE_TOO;
	if (has_mark(info, 3, FOR_DEVICE) && !has_mark(info, 4, FOR_LAUNCH))
		return "it is " FOR_HOST_TOO;
	return "";
}

QualType type_at(const Diagnostic &info, unsigned argument)
{
	if (info.getArgKind(argument) != DiagnosticsEngine::ak_qualtype)
		return QualType();
	return QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(argument)));
}

/* A `void *` where another pointer is wanted, which the text names. */
std::string hint_of_conversion(const Diagnostic &info, unsigned wanted, unsigned given)
{
	QualType to = type_at(info, wanted), from = type_at(info, given);

	if (to.isNull() || from.isNull() || !to->isPointerType() || !from->isVoidPointerType())
		return "";
	return "C++ does not make another pointer of a `void *` by itself: write `(" + to.getUnqualifiedType().getAsString() +
	       ")` in front of it";
}

} // namespace

std::string clang_hint(const Diagnostic &info)
{
	switch (info.getID()) {
	case diag::err_ref_bad_target:
		return hint_of_reference(info);
	case diag::err_global_call_not_config:
		return "a CUDA kernel is launched with " + plain_name(info, 0) + "<<<grid, block>>>(arguments)";
	case diag::note_ovl_candidate_bad_target:
		return hint_of_candidate(info);
	case diag::err_init_conversion_failed:
		return hint_of_conversion(info, 1, 3);
	case diag::err_typecheck_convert_incompatible:
		return hint_of_conversion(info, 0, 1);
	default:
		return "";
	}
}
