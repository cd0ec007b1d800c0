#include <filesystem>
#include <stdexcept>
#include <system_error>
std::filesystem::path("/usr/lib") / "a b.txt"
//---
std::filesystem::path("x.tar.gz").extension().string()
//---
std::make_error_code(std::errc::no_such_file_or_directory)
//---
std::runtime_error("not thrown")
