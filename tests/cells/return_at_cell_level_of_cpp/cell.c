%%cpp
return 7;
//---
%%cpp
void f() { return 7; }
