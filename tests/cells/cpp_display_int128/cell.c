%%cpp
__int128 a = (__int128)1 << 100;
a
//---
%%cpp
-a - 1
//---
%%cpp
(unsigned __int128)-1
