%%cpp
'a'
//---
%%cpp
'\n'
//---
%%cpp
L'\u00e9'
//---
%%cpp
u8'z'
//---
%%cpp
u'\u20ac'
//---
%%cpp
U'\U0001F600'
//---
%%cpp
(signed char)-3
//---
%%cpp
std::string("tab\there \"q\" \\ \x01")
