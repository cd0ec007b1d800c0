int counter = 0;
auto add = [](int n) { counter += n; };
Counter++;
