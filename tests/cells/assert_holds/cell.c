assert(1 + 1 == 2);
puts("held");
