enum op { ADD, SUB };
//---
int apply(enum op o, int a, int b) { switch (o) { case ADD: return a + b; case SUB: return a - b; } return 0; }
//---
apply(SUB, 5, 3) * 10 + apply(ADD, 1, 1)
