#include <memory>
#include <string>
#include <vector>
auto p = std::make_unique<int>(7);
*p
//---
auto s = std::make_shared<std::string>("held");
*s
//---
s.use_count()
//---
std::vector<std::unique_ptr<int>> all(2);
all
//---
(bool)std::weak_ptr<std::string>(s).lock()
