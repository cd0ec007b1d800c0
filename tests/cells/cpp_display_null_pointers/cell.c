%%cpp
nullptr
//---
%%cpp
(int *)nullptr
//---
%%cpp
char *text = nullptr;
text
//---
%%cpp
void (*f)() = nullptr;
f
//---
#include <memory>
std::unique_ptr<int> none;
none
//---
std::shared_ptr<std::string>()
