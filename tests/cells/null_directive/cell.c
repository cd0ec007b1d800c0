#
puts("fine");
