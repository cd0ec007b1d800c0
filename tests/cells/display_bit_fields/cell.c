struct { unsigned a : 3; int b : 5; } f = { 5, -2 };
f
