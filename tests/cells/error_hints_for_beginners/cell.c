print("x");
//---
prinft("a");
//---
flaot f;
//---
x = 5;
//---
int v;
cin >> v;
//---
string s;
//---
quite_another_name(3);
//---
y == 5;
