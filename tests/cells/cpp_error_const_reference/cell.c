%%cpp
int &r = 5;
//---
%%cpp
double d = 1;
int &i = d;
//---
for (const auto &c : { 1, 2 }) c = 3;
