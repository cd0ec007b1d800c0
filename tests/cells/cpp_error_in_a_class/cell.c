class pair { int a; int a; };
//---
struct self { self other; virtual void f() {} };
//---
class once {};
class once { int n; };
//---
struct base { base(int); };
struct child : base { child() {} };
//---
class tree { public: int height(); };
int tree::depth() { return 1; }
//---
struct s { void f() { this.x = 1; } int x; };
