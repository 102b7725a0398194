// Lazy calls: what reaches the function, what is copied, what is refused.
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ashlar/delayed.hpp>
#include <ashlar/threads.hpp>
#include <support/counted.hpp>

namespace ash = ashlar;

namespace {

int increment(int x) { return x + 1; }
int add_quietly(int x, int y) noexcept { return x + y; }

struct scale {
  int factor = 2;
  int operator()(int x) const { return factor * x; }
};

const auto count_of = [](const counted& c) { return c.value; };

}  // namespace

TEST_CASE("functions, functors and lambdas, of values and of results") {
  const auto a = ash::delayed(increment)(1);
  const auto b = ash::delayed(scale{5})(a);
  const auto c =
      ash::delayed([](int x, double y, const std::string& z) { return z + std::to_string(x + y); })(b, 0.5, "sum ");
  static_assert(std::is_same_v<decltype(c), const ash::delayed<std::string>>);
  CHECK(a.compute() == 2);
  CHECK(ash::delayed(add_quietly)(a, b).compute() == 12);
  CHECK(c.compute(ash::serial{}) == "sum 10.500000");
  CHECK(ash::delayed([] { return 7; })().compute(ash::threads{.workers = 2}) == 7);
  CHECK(ash::delayed([](int p, int q, int r, int s, int t, int u) { return p + q * r + s - t * u; })(a, 1, b, 4, a, 5)
            .compute() == 6);
  const std::function<int(int)> f = increment;
  CHECK(ash::delayed(f)(a).compute() == 3);
}

TEST_CASE("members and data members are called as std::invoke does") {
  struct point {
    double x;
    double twice(double more) const { return 2 * x + more; }
  };
  const auto p = ash::delayed([] { return point{3}; })();
  CHECK(ash::delayed(&point::x)(p).compute() == 3);
  CHECK(ash::delayed(&point::twice)(p, 1.5).compute() == 7.5);
}

TEST_CASE("nothing runs before compute(), and each task once in each compute()") {
  auto calls = std::make_shared<int>(0);
  const auto shared = ash::delayed([calls] { return ++*calls; })();
  const auto sum =
      ash::delayed([](int x, int y, int z) { return x + y + z; })(shared, shared, ash::delayed(increment)(shared));
  CHECK(*calls == 0);
  CHECK(sum.compute(ash::serial{}) == 4);
  CHECK(*calls == 1);
  CHECK(sum.compute(ash::serial{}) == 7);
  CHECK(*calls == 2);
}

TEST_CASE("results inside containers") {
  const auto one = ash::delayed(increment)(0);
  const auto two = ash::delayed(increment)(one);
  const auto total = [](const auto& values) {
    int n = 0;
    for (int v : values) n = 10 * n + v;
    return n;
  };
  CHECK(ash::delayed(total)(std::vector{one, two, one}).compute() == 121);
  CHECK(ash::delayed(total)(std::deque{two, one}).compute() == 21);
  CHECK(ash::delayed(total)(std::list{two}).compute() == 2);
  CHECK(ash::delayed(total)(std::array{one, two}).compute() == 12);
  CHECK(ash::delayed(total)(std::vector<ash::delayed<int>>{}).compute() == 0);
  CHECK(ash::delayed([](std::pair<int, int> p) { return p.first - p.second; })(std::pair(one, 5)).compute() == -4);
  CHECK(ash::delayed([](const std::optional<int>& o) { return o.value_or(-1); })(std::optional(two)).compute() == 2);
  CHECK(ash::delayed([](const std::optional<int>& o) { return o.value_or(-1); })(std::optional<ash::delayed<int>>{})
            .compute() == -1);
  CHECK(ash::delayed([](const std::map<std::string, int>& m) { return m.at("two") - m.at("one"); })(
            std::map<std::string, ash::delayed<int>>{{"one", one}, {"two", two}})
            .compute() == 1);
  CHECK(ash::delayed([](std::unordered_map<int, int> m) { return m[4]; })(
            std::unordered_map<int, ash::delayed<int>>{{4, two}})
            .compute() == 2);
}

TEST_CASE("containers of containers, values beside results") {
  const auto one = ash::delayed(increment)(0);
  const std::vector<std::tuple<std::string, std::vector<ash::delayed<int>>, std::array<ash::delayed<int>, 2>>> nested{
      {"a", {one, one}, {one, one}}, {"b", {}, {one, ash::delayed(increment)(one)}}};
  const auto text =
      ash::delayed([](const std::vector<std::tuple<std::string, std::vector<int>, std::array<int, 2>>>& values) {
        std::string s;
        for (const auto& [name, list, two] : values) {
          s += name + std::to_string(list.size()) + std::to_string(two[0] + two[1]);
        }
        return s;
      })(nested);
  CHECK(text.compute() == "a22b03");
  CHECK(text.tasks().size() == 3);
}

TEST_CASE("a container of values is a value") {
  const auto size = ash::delayed([](const std::vector<int>& v) { return v.size(); })(std::vector{1, 2, 3});
  CHECK(size.compute() == 3);
  CHECK(size.tasks().front().inputs.empty());
}

TEST_CASE("results that can only be moved") {
  const auto made = ash::delayed([](int x) { return std::make_unique<int>(x); })(3);
  const auto changed = ash::delayed([](std::unique_ptr<int> p) {
    ++*p;
    return p;
  })(made);
  CHECK(*changed.compute() == 4);
  CHECK(*changed.compute() == 4);  // the graph keeps no results
  const auto by_rvalue = ash::delayed([](std::unique_ptr<int>&& p) { return *p * 10; })(changed);
  CHECK(by_rvalue.compute() == 40);
  const auto generic = ash::delayed([](auto p) { return *p + 1; })(changed);
  CHECK(generic.compute() == 5);
  const auto read = [](const std::unique_ptr<int>& p) { return *p; };
  const auto [a, b] = ash::compute(ash::delayed(read)(made), ash::delayed(read)(made));
  CHECK(a + b == 6);
  const auto list = ash::delayed([](std::vector<std::unique_ptr<int>> v) { return *v[0] + *v[1]; })(
      std::vector{made, ash::delayed([] { return std::make_unique<int>(5); })()});
  CHECK(list.compute() == 8);
}

TEST_CASE("a result that can only be moved and is wanted twice is refused before anything runs") {
  bool ran = false;
  const auto made = ash::delayed(
      [&ran] {
        ran = true;
        return std::make_unique<int>(1);
      },
      {.name = "make"})();
  const auto take = ash::delayed([](std::unique_ptr<int> p) { return *p; }, {.name = "take"});
  const auto both = ash::delayed(add_quietly)(take(made), take(made));
  CHECK_THROWS_WITH_AS(both.compute(), doctest::Contains("the result of make ("), ash::value_error);
  CHECK_THROWS_WITH_AS(both.compute(), doctest::Contains("take ("), ash::value_error);
  CHECK_THROWS_WITH_AS(ash::compute(made, take(made)), doctest::Contains("it is used 2 times"), ash::value_error);
  CHECK_THROWS_AS(ash::compute(made, made), ash::value_error);
  CHECK_FALSE(ran);
}

TEST_CASE("const& is never copied; who takes a value gets it moved when nobody else wants it") {
  counted::reset();
  {
    const auto made = ash::delayed([] { return counted(1); })();
    const auto more = ash::delayed([](counted c) { return counted(c.value + 1); });
    const auto chain = more(more(more(made)));
    CHECK(ash::delayed(count_of)(chain).compute(ash::serial{}) == 4);
    CHECK(counted::copies == 0);

    const auto read = ash::delayed(count_of);
    const auto sum = ash::delayed([](const std::vector<int>& v) { return static_cast<int>(v.size()); })(
        std::vector{read(made), read(made), read(made)});
    CHECK(sum.compute(ash::threads{.workers = 2}) == 3);
    CHECK(counted::copies == 0);

    const auto twice = ash::delayed([](counted c, counted d) { return c.value + d.value; })(made, made);
    CHECK(twice.compute(ash::serial{}) == 2);
    CHECK(counted::copies == 2);

    counted::copies = 0;
    const auto last =
        ash::delayed([](int x, counted&& c) { return x + counted(std::move(c)).value; })(read(made), made);
    CHECK(last.compute(ash::serial{}) == 2);
    CHECK(counted::copies == 0);  // the reader had ended

    const auto generic = ash::delayed([](auto c) { return c.value; });
    CHECK(generic(made).compute() == 1);
    CHECK(counted::copies == 0);
    CHECK(made.compute().value == 1);
    CHECK(counted::copies == 0);
    const auto [x, y] = ash::compute(ash::serial{}, made, made);
    CHECK(x.value + y.value == 2);
    CHECK(counted::copies == 1);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("stored arguments are the same in each compute") {
  const auto append = ash::delayed([](std::vector<int>&& v) {
    v.push_back(4);
    return v;
  })(std::vector{1, 2, 3});
  CHECK(append.compute() == std::vector{1, 2, 3, 4});
  CHECK(append.compute() == std::vector{1, 2, 3, 4});
  const auto owned = ash::delayed([](const std::unique_ptr<int>& p) { return *p; })(std::make_unique<int>(9));
  CHECK(owned.compute() == 9);
  CHECK(owned.compute() == 9);
}

TEST_CASE("a returned reference is copied while what it refers to lives") {
  const auto longest = ash::delayed(
      [](const std::vector<std::string>& v) -> const std::string& { return v[0].size() > v[1].size() ? v[0] : v[1]; });
  const auto word = ash::delayed([](const char* s) { return std::string(s); });
  CHECK(longest(std::vector{word("a long word that is no small string"), word("b")}).compute() ==
        "a long word that is no small string");
}

TEST_CASE("tasks without a result, and order without results") {
  auto log = std::make_shared<std::string>();
  const auto write = ash::delayed([log](const char* s) { *log += s; });
  const auto first = write("a");
  static_assert(std::is_same_v<decltype(first), const ash::delayed<void>>);
  const auto second = ash::delayed([log](const char* s) { *log += s; }).after(first)("b");
  const auto third = ash::delayed([log] {
                       *log += "c";
                       return 3;
                     }).after(std::vector{first, second})();
  CHECK(third.compute(ash::threads{.workers = 3}) == 3);
  CHECK(*log == "abc");
  log->clear();
  second.compute();
  CHECK(*log == "ab");
  log->clear();
  const std::tuple<int> only = ash::compute(second, third, first);
  CHECK(std::get<0>(only) == 3);
  CHECK(*log == "abc");
  const auto value_dropped =
      ash::delayed([] { return 1; }).after(ash::delayed([] { return std::string("unused"); })())();
  CHECK(value_dropped.compute() == 1);
}

TEST_CASE("tasks of higher priority, and what they need, run first") {
  auto log = std::make_shared<std::string>();
  const auto task = [&log](char name, int priority) {
    return ash::delayed(
        [log = log, name](const std::vector<int>&) {
          *log += name;
          return 0;
        },
        {.priority = priority});
  };
  const std::vector<ash::delayed<int>> none;
  const auto a = task('a', 0)(none);
  const auto b = task('b', 0)(none);
  const auto c = task('c', 5)(std::vector{b});
  const auto d = task('d', -1)(none);
  const auto e = task('e', 1)(none);
  task('f', 0)(std::vector{d, a, c, e}).compute(ash::serial{});
  CHECK(*log == "bcedaf");
}

TEST_CASE("the list of tasks has names, lines, inputs and order") {
  const auto add = ash::delayed(add_quietly, {.name = "sum", .priority = 2});
  const auto a = ash::delayed(scale{})(4);
  const auto b = add.after(a)(a, ash::delayed(increment)(a));
  const std::vector<ash::task_description> list = b.tasks();
  REQUIRE(list.size() == 3);
  CHECK(list[0].name == "scale");
  CHECK(list[1].name == "function");
  CHECK(list[2].name == "sum");
  CHECK(list[2].priority == 2);
  CHECK(list[2].inputs == std::vector<std::uint32_t>{0, 1});
  CHECK(list[2].after == std::vector<std::uint32_t>{0});
  CHECK(list[0].where.line() + 1 == list[2].where.line());
  CHECK(ash::delayed([] {})().tasks()[0].name == "lambda");
  CHECK(ash::delayed(std::function<void()>([] {}))().tasks()[0].name == "function");
}

TEST_CASE("a handle that was moved from is an error, not a crash") {
  auto a = ash::delayed(increment)(1);
  const auto b = std::move(a);
  CHECK_THROWS_AS(a.compute(), ash::value_error);  // NOLINT(bugprone-use-after-move)
  CHECK(b.compute() == 2);
}

TEST_CASE("results of any alignment and size") {
  struct alignas(64) wide {
    double x[9];
  };
  struct none {};
  const auto w = ash::delayed([] { return wide{{1, 2, 3}}; })();
  const auto n = ash::delayed([](char) { return none{}; })('x');
  const auto sum = ash::delayed([](const wide& a, none, char c, const wide& b) {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(&a) % 64 == 0 && reinterpret_cast<std::uintptr_t>(&b) % 64 == 0;
    return aligned ? a.x[0] + b.x[2] + c : -1;
  })(w, n, ash::delayed([] { return 'A'; })(), ash::delayed([] {
       return wide{{4, 5, 6}};
     })());
  CHECK(sum.compute() == 72);
}
