struct node; extern struct node first;
first
//---
struct node; extern struct node *next;
*next
//---
%%cpp
class shape; extern shape &round;
round
