struct b { int n; char data[]; } b = { 3 };
b
