enum colour { red, green };
colour favourite = green;
const char *name(colour c) { return c == red ? "red" : "green"; }
name(favourite)
//---
enum colour { green = 10, red, blue };
colour other = blue;
other
//---
red + 1
//---
favourite
