%%cpp
int &r;
//---
struct holder { int &r; };
holder h;
//---
struct node { const int n; node() : other(1) {} int other; };
