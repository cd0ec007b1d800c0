__auto_type x = 2.5; __auto_type p = &x;
*p
