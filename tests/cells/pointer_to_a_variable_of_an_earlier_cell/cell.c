double price = 1.5;
//---
double *p = &price;
*p *= 2;
//---
price
