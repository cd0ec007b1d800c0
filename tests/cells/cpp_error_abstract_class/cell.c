struct shape { virtual ~shape() = default; virtual double area() const = 0; virtual void draw() = 0; };
//---
struct square : shape { double area() const override { return 1; } };
square s;
//---
struct round : shape { double area() override { return 1; } void draw() override {} };
//---
struct last final : shape {};
struct more : last {};
