/* SPDX-License-Identifier: Apache-2.0 */
/* Reports LLVM's diagnostics during code generation in the form of clang's. For
 * compiler/clang/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_COMPLAINTS_HH
#define CGPU_COMPILER_CLANG_COMPLAINTS_HH

#include <clang/Basic/Diagnostic.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

/* Receives LLVM's diagnostics while it makes an object. */
class clang_complaints : public llvm::DiagnosticHandler
{
      public:
	explicit clang_complaints(clang::DiagnosticsEngine &engine) : engine(engine)
	{
	}

	bool handleDiagnostics(const llvm::DiagnosticInfo &info) override
	{
		bool error = info.getSeverity() == llvm::DS_Error;

		if (!error && info.getSeverity() != llvm::DS_Warning)
			return true;
		std::string text;
		llvm::raw_string_ostream stream(text);
		llvm::DiagnosticPrinterRawOStream printer(stream);

		info.print(printer);
		engine.Report(
			error ? engine.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")
			      : engine.getCustomDiagID(clang::DiagnosticsEngine::Warning, "%0"))
			<< stream.str();
		return true;
	}

      private:
	clang::DiagnosticsEngine &engine;
};

#endif
