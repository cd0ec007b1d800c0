int a[4] = { 1, 2 };
a
