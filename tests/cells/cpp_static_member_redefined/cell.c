struct ticket { static int last; int number = ++last; };
int ticket::last = 100;
ticket a, b;
b.number
//---
int ticket::last = 500;
ticket c;
c.number
//---
ticket::last
