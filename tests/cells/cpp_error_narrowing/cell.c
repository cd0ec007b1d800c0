%%cpp
int big = 300;
char c{ big };
//---
%%cpp
int n = { 2.5 };
