#include <string>
#include <string_view>
std::string s = "hello";
s
//---
std::string_view(s).substr(1, 3)
//---
s.c_str()
//---
&s[0] + 3
//---
std::wstring(L"w\u00efde")
//---
std::u16string(u"\u20ac")
//---
std::u8string(u8"a\u00e9")
//---
std::string()
//---
std::string("zero\0inside", 11)
//---
&"literal"[int(2)]
//---
R"(raw
line)"
