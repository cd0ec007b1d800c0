#include <string>
#define TIGHT(n) _Pragma("pack(push, 1)")
TIGHT(1)
struct one { char c; int i; std::string *s; };
sizeof(one)
//---
struct two { char c; std::string *s; };
sizeof(two)
//---
_Pragma("pack(pop)") // back
struct three { char c; std::string *s; };
sizeof(three)
