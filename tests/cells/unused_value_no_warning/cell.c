int x = 1;
x + 1;
puts("quiet");
