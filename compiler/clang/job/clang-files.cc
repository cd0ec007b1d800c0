/* SPDX-License-Identifier: Apache-2.0 */
/* A check of the path before clang opens it would not do: another process may put a FIFO there in
 * between. So the file is opened here, and clang opens what is open. */
#include "compiler/clang/job/clang-files.hh"

#include <llvm/ADT/SmallString.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

class NoFifos : public llvm::vfs::ProxyFileSystem
{
      public:
	NoFifos() : ProxyFileSystem(llvm::vfs::getRealFileSystem())
	{
	}

	llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
	openFileForRead(const llvm::Twine &path) override
	{
		llvm::SmallString<256> name;
		struct stat st;
		int fd = open(path.toNullTerminatedStringRef(name).data(),
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0)
			return std::error_code(errno, std::generic_category());
		if (fstat(fd, &st) || S_ISFIFO(st.st_mode)) {
			close(fd);
			return std::make_error_code(std::errc::invalid_seek);
		}
		auto file = llvm::vfs::File::getWithPath(
			ProxyFileSystem::openFileForRead("/proc/self/fd/" + std::to_string(fd)),
			path);
		close(fd);
		return file;
	}
};

} /* namespace */

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> clang_files()
{
	return new NoFifos();
}
