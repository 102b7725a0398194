#include "support/npy_check_header.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Random changes to good headers, the same in every run. Meant for the address and undefined-behaviour sanitizers;
// bytes lie in an allocation of exactly their size, so that a read behind the end is caught. tests/fuzz holds the
// guided one.

namespace {

// splitmix64: a few lines, same numbers everywhere.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}

  std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

constexpr std::string_view pieces[] = {"'descr'",
                                       "'fortran_order'",
                                       "'shape'",
                                       "True",
                                       "False",
                                       "None",
                                       "(",
                                       ")",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       ",",
                                       ":",
                                       "'",
                                       "\"",
                                       "\\",
                                       "L",
                                       "-",
                                       "+",
                                       "0",
                                       "1",
                                       "'<f8'",
                                       "'>c16'",
                                       "'|b1'",
                                       "'<U3'",
                                       "'|O'",
                                       "<",
                                       ">",
                                       "=",
                                       "|",
                                       " ",
                                       "\n",
                                       "(3,)",
                                       "()",
                                       "2147483648",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "0x10",
                                       "1e5",
                                       "[('a', '<f8')]",
                                       "u'",
                                       "b'",
                                       "#",
                                       "\x93",
                                       "NUMPY",
                                       "\x01",
                                       "\x02",
                                       "\xff\xff"};

std::vector<std::string> good_headers() {
  using ashlar::dtype;
  using ashlar::shape;
  std::vector<std::string> result;
  for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t) {
    result.push_back(ashlar::npy_header_bytes(static_cast<dtype>(t), shape{3, 4}, t % 2 == 1));
  }
  result.push_back(ashlar::npy_header_bytes(dtype::float64, shape{}));
  result.push_back(ashlar::npy_header_bytes(dtype::float64, shape{0}));
  result.push_back(ashlar::npy_header_bytes(dtype::float64, shape::filled(32, 1)));
  const std::string_view texts[] = {"{'shape': (3L, 4L), \"fortran_order\": True, u'descr': '>f8'}",
                                    "{'descr':'d','fortran_order':False,'shape':(10,4,)}",
                                    "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }",
                                    "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2), }"};
  for (const std::string_view text : texts) {
    for (const int version : {1, 2, 3}) {
      std::string file("\x93NUMPY", 6);
      file.push_back(static_cast<char>(version));
      file.push_back('\0');
      file.push_back(static_cast<char>(text.size()));
      file.append(version == 1 ? 1 : 3, '\0');
      result.push_back(file.append(text));
    }
  }
  return result;
}

void change(std::string& s, generator& random) {
  const auto at = [&] { return random.below(s.size() + 1); };
  switch (random.below(8)) {
    case 0:  // flip a bit
      if (!s.empty()) {
        char& c = s[random.below(s.size())];
        c = static_cast<char>(c ^ (1 << random.below(8)));
      }
      break;
    case 1:  // set a byte
      if (!s.empty()) s[random.below(s.size())] = static_cast<char>(random.below(256));
      break;
    case 2:  // cut the end off
      s.resize(at());
      break;
    case 3: {  // take a part out
      const std::size_t first = at();
      s.erase(first, random.below(20));
      break;
    }
    case 4: {  // repeat a part
      const std::size_t first = at();
      s.insert(at(), s.substr(first, random.below(30)));
      break;
    }
    case 5: {  // put a piece over what is there
      const std::string_view piece = pieces[random.below(std::size(pieces))];
      const std::size_t first = at();
      s.replace(first, std::min(piece.size(), s.size() - first), piece);
      break;
    }
    default: {  // put a piece in
      const std::string_view piece = pieces[random.below(std::size(pieces))];
      s.insert(at(), piece);
      break;
    }
  }
}

// Makes the stored length fit, so that most changes reach the text.
void repair_length(std::string& s) {
  if (s.size() < 12) return;
  const std::size_t prefix = s[6] == 1 ? 10 : 12;
  const std::size_t length = s.size() - prefix;
  for (std::size_t i = 8; i < prefix; ++i) s[i] = static_cast<char>(length >> (8 * (i - 8)) & 255);
}

}  // namespace

TEST_CASE("npy header: 120 000 damaged headers are parsed or refused, never anything else") {
  const std::vector<std::string> seeds = good_headers();
  generator random(20240229);
  std::int64_t accepted = 0;
  std::int64_t faults = 0;
  for (int round = 0; round < 120000; ++round) {
    std::string s = seeds[random.below(seeds.size())];
    for (std::size_t n = random.below(2) == 0 ? 1 : random.below(4) + 1; n > 0; --n) change(s, random);
    if (random.below(8) != 0) repair_length(s);
    const auto exact = std::make_unique_for_overwrite<std::byte[]>(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) exact[i] = static_cast<std::byte>(s[i]);
    bool good = false;
    const std::string fault = testing_support::check_header({exact.get(), s.size()}, good);
    accepted += good ? 1 : 0;
    if (!fault.empty() && ++faults < 10) FAIL_CHECK(fault << " for " << ashlar::detail::npy_quoted(s, 1000));
  }
  CHECK(faults == 0);
  // Both outcomes must be common, or the changes miss the parser.
  CHECK(accepted > 5000);
  CHECK(accepted < 115000);
}
