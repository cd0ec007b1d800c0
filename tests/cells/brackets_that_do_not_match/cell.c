int f()
{
	)if (1) {
	return 2;
}
//---
struct base { int x; };
struct child : base { int b =}2;  ;
child()
//---
#define TWICE(s) do { s; s; } while (0)
TWICE(puts("x" puts);
if (
//---
(::atomic<int>std5)
//---
std::{ box<int>{ 1 }, box<int>{ 2 } }
//---
struct node ;{ int v;int struct node *next= } *head;
{ *n = (struct node){ v, head }; head ; n; }
//---
int x = yyy;
x
//---
1 + 1
