%%cpp
#include <cstdio>
void hello() { puts("hello"); }
hello()
//---
%%cpp
int n = 3;
n
//---
%%cpp
n;
//---
%%cpp
n ; // with a comment
//---
%%cpp
n // with a comment
//---
%%cpp
(void)n
//---
%%cpp
n++
//---
%%cpp
++n
//---
%%cpp
n = 20
//---
%%cpp
n += 1
//---
%%cpp
delete new int(3)
//---
%%cpp
std::cout << "streamed\n"
