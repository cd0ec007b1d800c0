#include <queue>
#include <stack>
#include <vector>
std::stack<int> s; s.push(1); s.push(2);
s
//---
std::queue<int> q; q.push(3); q.push(4);
q
//---
std::priority_queue<int> p; p.push(1); p.push(5);
p
