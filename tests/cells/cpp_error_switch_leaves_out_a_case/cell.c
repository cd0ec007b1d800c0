enum class state { on, off, broken };
const char *name(state s) { switch (s) { case state::on: return "on"; case state::off: return "off"; } return "?"; }
name(state::broken)
