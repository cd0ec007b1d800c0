#include <memory>
#include <mutex>
struct only { int id = 4; only() = default; only(const only &) = delete; only(only &&) = delete; };
only o;
o
//---
only()
//---
std::unique_ptr<only> p = std::make_unique<only>();
*p
//---
std::atomic<int>(5)
//---
std::mutex m;
m
