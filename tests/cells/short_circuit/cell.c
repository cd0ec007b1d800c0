int calls = 0; int hit(int r) { calls++; return r; }
hit(0) && hit(1); hit(1) || hit(0);
calls
