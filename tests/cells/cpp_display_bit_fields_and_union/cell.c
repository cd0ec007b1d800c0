%%cpp
struct flags { unsigned a : 3, b : 5; bool on : 1; } f{ 7, 21, true };
f
//---
%%cpp
union word { unsigned u; float f; word() : f(1) {} };
word()
//---
%%cpp
struct tagged { int kind; union { int i; double d; }; } t{ 1, { 4 } };
t
