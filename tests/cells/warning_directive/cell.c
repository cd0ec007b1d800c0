#warning mind the step
puts("ran");
