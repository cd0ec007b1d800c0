int a = (1, 2, 3);
a, a + 1
