"one " "two "
"three"
