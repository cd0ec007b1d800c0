%%cpp
struct node { int value; node *next; };
node last{ 2, nullptr }, first{ 1, &last };
*first.next
//---
%%cpp
&first == &first
//---
%%cpp
int &ref = first.value;
ref
//---
%%cpp
std::string words[2] = { "a", "b" };
words
//---
%%cpp
*words
