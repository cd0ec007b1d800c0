struct buf { int n; int data[]; } b = { 2, { 5, 6 } };
b.data[1]
