struct s { int a, b; int f(int) const { return 1; } virtual void g() {} virtual void h() {} };
&s::b
//---
%%cpp
&s::h
//---
%%cpp
(int s::*)nullptr
//---
%%cpp
struct has { int s::*which = &s::a; } h;
h
