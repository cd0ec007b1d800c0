{ auto inner = 3; }
inner
//---
for (auto i = 0u; auto j : { 1, 2 }) {}
j
//---
namespace geo { int side = 3; }
side + geo::side
//---
namespace flat { int side = 3; }
flat::width
//---
using namespace nowhere;
//---
class c {}; this
