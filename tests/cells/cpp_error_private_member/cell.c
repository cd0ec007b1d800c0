class account { int balance = 5; protected: void pay() {} };
account good;
//---
good.pay();
//---
class derived : account { public: int f() { return balance; } };
//---
struct locked { private: locked() {} };
locked l;
//---
class child : account {};
account &up = *new child;
