struct ticket { inline static int last = 100; int number = ++last; };
ticket a, b;
b.number
//---
ticket::last = 7;
ticket c;
c.number * 10 + ticket::last
