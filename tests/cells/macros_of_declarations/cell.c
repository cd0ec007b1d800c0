#define DEF(name, body) int name(int x) { body; }
#define GETTER(type, field) static inline type get_##field(struct rec *r) { return r->field; }
#define SEMI ;
#define FIELD(t, n) t n;
#define LPAREN (
#define RPAREN )
#define COMMA ,
DEF(inc, return x + 1)
struct rec { FIELD(int, a) FIELD(double, b) };
GETTER(int, a)
GETTER(double, b)
printf LPAREN "%d\n" COMMA inc(3) RPAREN;
struct rec r = { 1, 2.5 };
get_a(&r) + get_b(&r)
//---
get_a(&r) * 10 + inc(4)
