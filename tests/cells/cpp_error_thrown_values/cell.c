#include <string>
throw 42;
//---
throw 2.5;
//---
throw std::string("a text");
//---
throw "literal";
//---
struct own { int n; };
throw own{ 1 };
