// Copies of many boxes in one launch, held against the host's own strided copy: element sizes, permuted axes, gaps,
// flips, broadcasts, rows that no wide word divides and addresses that allow none.
#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/detail/copy_elements.hpp>
#include <ashlar/detail/device_copy.hpp>

#include "device_check.hpp"

namespace ash = ashlar;
using device_check::expect;

namespace {

struct copied {
  std::string name;
  std::vector<std::int64_t> extent;
  std::vector<std::int64_t> from;  // strides in elements
  std::vector<std::int64_t> to;
  std::int64_t from_first = 0;  // element of the first item where the box begins
  std::int64_t to_first = 0;
};

/// Elements from the lowest to the highest address of a box, and how many of them lie below the first one.
void reach(const std::vector<std::int64_t>& extent, const std::vector<std::int64_t>& stride, std::int64_t& below,
           std::int64_t& size) {
  below = 0;
  std::int64_t above = 0;
  for (std::size_t a = 0; a < extent.size(); ++a) {
    const std::int64_t far = (extent[a] > 0 ? extent[a] - 1 : 0) * stride[a];
    (far < 0 ? below : above) += far < 0 ? -far : far;
  }
  size = below + above + 1;
}

void check(const copied& c, std::int64_t element, std::int64_t items, std::int64_t shift) {
  device_check::queue q;
  std::int64_t from_below = 0;
  std::int64_t from_size = 0;
  std::int64_t to_below = 0;
  std::int64_t to_size = 0;
  reach(c.extent, c.from, from_below, from_size);
  reach(c.extent, c.to, to_below, to_size);
  const std::int64_t from_item = from_size + c.from_first + 3;
  const std::int64_t to_item = to_size + c.to_first + 5;
  const auto from_bytes = static_cast<std::size_t>((from_item * items + shift) * element);
  const auto to_bytes = static_cast<std::size_t>((to_item * items + shift) * element);
  std::vector<unsigned char> source(from_bytes);
  std::uint64_t state = 7;
  for (unsigned char& b : source) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    b = static_cast<unsigned char>(state >> 56);
  }
  std::vector<unsigned char> expected(to_bytes, 0xEE);
  unsigned char* const on_device = q.put(source);
  unsigned char* const out = q.put(expected);

  ash::detail::device_copy work;
  work.ndim = static_cast<int>(c.extent.size());
  ash::shape extents;
  ash::strides from_steps;
  ash::strides to_steps;
  for (std::size_t a = 0; a < c.extent.size(); ++a) {
    work.extent[a] = c.extent[a];
    work.from_stride[a] = c.from[a];
    work.to_stride[a] = c.to[a];
    extents.push_back(c.extent[a]);
    from_steps.push_back(c.from[a]);
    to_steps.push_back(c.to[a]);
  }
  std::vector<const void*> from_table;
  std::vector<void*> to_table;
  for (std::int64_t i = 0; i < items; ++i) {
    // the second item lies at odd elements where shift is not 0
    const std::int64_t from_at = (i * from_item + from_below + c.from_first + (i % 2) * shift) * element;
    const std::int64_t to_at = (i * to_item + to_below + c.to_first + (i % 2) * shift) * element;
    from_table.push_back(on_device + from_at);
    to_table.push_back(out + to_at);
    ash::detail::copy_elements(element, extents, source.data() + from_at, from_steps, expected.data() + to_at,
                               to_steps);
  }
  work.element = element;
  work.from = q.put(from_table);
  work.to = q.put(to_table);
  work.items = items;
  ash::detail::copy_on_device(q, work);
  const std::int64_t at = device_check::first_difference(q.get(out, to_bytes), expected);
  expect(at < 0, c.name + " of " + std::to_string(items) + " items of " + std::to_string(element) + " bytes, shift " +
                     std::to_string(shift) + ": byte " + std::to_string(at) + " differs");
}

}  // namespace

int main() {
  return device_check::run([] {
    const copied cases[] = {
        {"one element", {}, {}, {}},
        {"nothing", {3, 0, 5}, {0, 5, 1}, {0, 5, 1}},
        {"a packed run", {4096}, {1}, {1}},
        {"a packed run of odd length", {10007}, {1}, {1}},
        {"a run from an odd element", {5000}, {1}, {1}, 1, 3},
        {"rows of a wider array", {37, 240}, {1000, 1}, {240, 1}, 16, 0},
        {"rows of odd length", {53, 129}, {1001, 1}, {129, 1}, 3, 0},
        {"into the middle of an array", {20, 64}, {64, 1}, {512, 1}, 0, 100},
        {"every third element", {100, 50}, {300, 3}, {50, 1}},
        {"to every second element", {100, 50}, {50, 1}, {200, 2}},
        {"backwards", {40, 77}, {77, -1}, {77, 1}},
        {"rows backwards", {40, 96}, {-96, 1}, {96, 1}},
        {"one row many times", {31, 500}, {0, 1}, {500, 1}},
        {"one column many times", {500, 31}, {1, 0}, {31, 1}},
        {"transposed", {100, 70}, {1, 100}, {70, 1}},
        {"transposed, whole tiles", {128, 192}, {1, 128}, {192, 1}},
        {"transposed, thin", {9, 1000}, {1, 9}, {1000, 1}},
        {"transposed, thinner than a tile pays", {3, 1000}, {1, 3}, {1000, 1}},
        {"transposed and backwards", {65, 66}, {-1, 65}, {66, 1}},
        {"first axis to the end", {20, 30, 40}, {40, 800, 1}, {1200, 40, 1}},
        {"last axis to the front", {40, 20, 30}, {1, 1200, 40}, {600, 30, 1}},
        {"all axes turned", {17, 18, 19}, {1, 17, 306}, {342, 19, 1}},
        {"six axes", {3, 4, 5, 6, 2, 7}, {7, 21, 84, 2520, 420, 1}, {1680, 420, 84, 14, 7, 1}},
        {"six axes turned", {2, 3, 9, 4, 5, 10}, {1, 2, 6, 54, 216, 1080}, {5400, 1800, 200, 50, 10, 1}},
        {"target turned", {90, 33}, {33, 1}, {1, 90}},
    };
    for (const copied& c : cases) {
      for (const std::int64_t element : {1, 2, 4, 8, 16}) {
        check(c, element, 1, 0);
        check(c, element, 5, 0);
        check(c, element, 4, 1);
      }
    }
    // more items than one has threads, and one item of many thread blocks
    check({"many small boxes", {3, 5}, {7, 1}, {5, 1}}, 8, 5000, 0);
    check({"a large plane", {2100, 1900}, {1, 2100}, {1900, 1}}, 8, 1, 0);
    check({"a long run", {9000001}, {1}, {1}}, 4, 2, 1);
  });
}
