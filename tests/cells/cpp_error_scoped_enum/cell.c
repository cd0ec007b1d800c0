enum class state { on, off };
state s = state::on;
//---
s == 0
//---
int i = state::on;
//---
state t = 1;
//---
state u = on;
//---
state::broken
