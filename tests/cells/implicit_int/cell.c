main() { return 3; }
