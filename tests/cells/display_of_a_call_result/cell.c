struct p { int x, y; };
struct p at(int x, int y) { return (struct p){ x, y }; }
at(1, 2)
//---
at(3, 4).y
