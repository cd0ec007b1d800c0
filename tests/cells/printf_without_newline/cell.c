printf("no newline");
//---
puts("next");
