int a$b = 5;
a$b
