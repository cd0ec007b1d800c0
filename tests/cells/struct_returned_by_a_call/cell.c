struct p { int x, y; };
struct p make(int x) { return (struct p){ x, x + 1 }; }
struct p q = make(3);
make(8).y + q.y
