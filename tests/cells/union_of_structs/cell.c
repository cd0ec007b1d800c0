union shape { struct { int kind; } any; struct { int kind; double r; } circle; } s = { .circle = { 7, 2.5 } };
s.any.kind + s.circle.r
