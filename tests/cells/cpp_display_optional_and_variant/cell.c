#include <any>
#include <optional>
#include <string>
#include <variant>
std::optional<int>(3)
//---
std::optional<std::string>()
//---
std::variant<int, std::string> v = "text";
v
//---
v = 5;
v
//---
std::variant<std::monostate, int>()
//---
std::nullopt
//---
std::any(3)
