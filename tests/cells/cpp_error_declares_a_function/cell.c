struct car { int wheels = 4; car() {} };
car d();
d.wheels
