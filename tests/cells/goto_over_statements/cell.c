goto out;
puts("not this");
out:
puts("this");
