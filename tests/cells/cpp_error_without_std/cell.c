cout << 3;
//---
using namespace std;
map<int, int> m;
//---
string s = "a";
//---
#include <vector>
vector<int> v;
