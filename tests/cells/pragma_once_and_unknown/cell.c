#pragma once
#pragma my_own thing
puts("ok");
