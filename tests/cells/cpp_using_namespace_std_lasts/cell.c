#include <iostream>
#include <string>
#include <vector>
using namespace std;
//---
vector<string> words{ "a", "b" };
cout << words.size() << endl;
//---
string last = words.back();
last
