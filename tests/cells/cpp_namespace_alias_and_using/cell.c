namespace metric { double height = 1.5; double twice(double x) { return 2 * x; } }
namespace imperial { double height = 5; double twice(double x) { return 20 * x; } }
namespace unit = metric;
unit::height
//---
using unit::twice;
twice(2)
//---
namespace unit = imperial;
unit::height
//---
using imperial::twice;
twice(2)
//---
using namespace imperial;
height
