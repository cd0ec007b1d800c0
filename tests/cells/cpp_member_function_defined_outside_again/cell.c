struct lamp { bool on = false; const char *state() const; void press(); };
const char *lamp::state() const { return on ? "on" : "off"; }
void lamp::press() { on = !on; }
lamp l;
l.press();
l.state()
//---
const char *lamp::state() const { return on ? "bright" : "dark"; }
l.state()
//---
void lamp::press() { on = false; }
l.press();
l.state()
