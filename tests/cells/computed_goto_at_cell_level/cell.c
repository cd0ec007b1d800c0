void *next = &&second;
goto *next;
puts("first");
second: puts("second");
