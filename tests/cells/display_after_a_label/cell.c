int n = 0;
end: n + 1
