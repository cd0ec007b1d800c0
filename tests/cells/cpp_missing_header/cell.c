std::map<std::string, int> ages;
ages["one"] = 1;
ages
//---
int sum(const std::vector<int> &v) { int s = 0; for (int x : v) s += x; return s; }
std::optional<int> none;
std::vector<int> more = { 1, 2 };
//---
for (auto &[name, age] : std::map<int, int>{ { 1, 2 } })
	printf("%d\n", name);
none = nothing;
//---
none = nothing;
std::vector<int> more = { 1, 2 };
none = nothing;
