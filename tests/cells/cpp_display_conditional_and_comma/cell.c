%%cpp
int n = 3;
n > 2 ? "big" : "small"
//---
%%cpp
n, n * 2
//---
%%cpp
n > 5 ? throw n : n
//---
%%cpp
sizeof n
//---
%%cpp
n <=> 4
//---
%%cpp
(n <=> 4) < 0
//---
%%cpp
typeid(n).name()
//---
%%cpp
noexcept(n)
