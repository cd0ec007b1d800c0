enum class state : char { off, on };
state now = state::on;
now
//---
enum class state : short { on = 5, off };
state then = state::on;
then
//---
sizeof(state) * 10 + (int)state::off
//---
using enum state;
off == then
