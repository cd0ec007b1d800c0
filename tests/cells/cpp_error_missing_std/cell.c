#include <iostream>
#include <string>
#include <vector>
int first = 1;
//---
cout << "hello" << endl;
//---
vector<int> v;
//---
string s = "text" + std::string("a");
