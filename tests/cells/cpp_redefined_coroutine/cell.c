#include <coroutine>
struct numbers {
	struct promise_type {
		int value;
		numbers get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
	int next() { h.resume(); return h.promise().value; }
};
numbers count(int from) { for (;;) co_yield from++; }
auto n = count(5);
n.next() + n.next()
//---
n.next()
//---
numbers count(int from) { for (;;) co_yield from *= 2; }
auto doubled = count(5);
doubled.next() + doubled.next()
//---
n.next()
