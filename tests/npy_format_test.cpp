#include <ashlar/io/npy_format.hpp>

#include "support/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using ashlar::dtype;
using ashlar::npy_header;
using ashlar::shape;
using testing_support::contains;
using testing_support::message_of;

namespace {

npy_header parse(std::string_view bytes, std::string_view path = {}) {
  return ashlar::parse_npy_header({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, path);
}

// A header around any text, without NumPy's padding.
std::string file_of(std::string_view text, int version = 1) {
  std::string out("\x93NUMPY", 6);
  out.push_back(static_cast<char>(version));
  out.push_back('\0');
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out.push_back(static_cast<char>(text.size() >> (8 * i) & 255));
  return out.append(text);
}

npy_header parse_text(std::string_view text, int version = 1) { return parse(file_of(text, version)); }

std::string dict(std::string_view descr, std::string_view shape_text, std::string_view order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape_text) + ", }";
}

template <class Error>
std::string message(std::string_view bytes, std::string_view path = {}) {
  return message_of<Error>([&] { parse(bytes, path); });
}

}  // namespace

TEST_CASE("npy header: what numpy.save writes is read") {
  const npy_header h = parse_text(dict("<f8", "(3, 4)") + std::string(20, ' ') + "\n");
  CHECK(h.major == 1);
  CHECK(h.minor == 0);
  CHECK(h.dtype == dtype::float64);
  CHECK_FALSE(h.big_endian);
  CHECK_FALSE(h.fortran_order);
  CHECK(h.shape == shape{3, 4});
  CHECK(h.data_bytes() == 96);
  CHECK(h.strides()[0] == 4);
}

TEST_CASE("npy header: Fortran order gives column-major strides") {
  const npy_header h = parse_text(dict("<f8", "(415, 518)", "True"));
  CHECK(h.fortran_order);
  CHECK(h.strides()[0] == 1);
  CHECK(h.strides()[1] == 415);
}

TEST_CASE("npy header: every element type, in either byte order and under NumPy's other names") {
  const struct {
    std::string_view descr;
    dtype type;
    bool big;
  } cases[] = {{"|b1", dtype::boolean, false},  {"<b1", dtype::boolean, false},     {"?", dtype::boolean, false},
               {">?", dtype::boolean, false},   {"|i1", dtype::int8, false},        {">i1", dtype::int8, false},
               {"b", dtype::int8, false},       {"|u1", dtype::uint8, false},       {"B", dtype::uint8, false},
               {"<i2", dtype::int16, false},    {">i2", dtype::int16, true},        {"h", dtype::int16, false},
               {"<u2", dtype::uint16, false},   {">u2", dtype::uint16, true},       {"H", dtype::uint16, false},
               {"<i4", dtype::int32, false},    {">i4", dtype::int32, true},        {"i", dtype::int32, false},
               {"<u4", dtype::uint32, false},   {">u4", dtype::uint32, true},       {"I", dtype::uint32, false},
               {"<i8", dtype::int64, false},    {">i8", dtype::int64, true},        {"q", dtype::int64, false},
               {"<l", dtype::int64, false},     {"<u8", dtype::uint64, false},      {">u8", dtype::uint64, true},
               {"L", dtype::uint64, false},     {"<f4", dtype::float32, false},     {">f4", dtype::float32, true},
               {"f", dtype::float32, false},    {"<f8", dtype::float64, false},     {">f8", dtype::float64, true},
               {"=f8", dtype::float64, false},  {"|f8", dtype::float64, false},     {"f8", dtype::float64, false},
               {"d", dtype::float64, false},    {"<c8", dtype::complex64, false},   {">c8", dtype::complex64, true},
               {"F", dtype::complex64, false},  {"<c16", dtype::complex128, false}, {">c16", dtype::complex128, true},
               {"D", dtype::complex128, false}, {"float64", dtype::float64, false}, {"bool", dtype::boolean, false}};
  for (const auto& c : cases) {
    CAPTURE(c.descr);
    const npy_header h = parse_text(dict(c.descr, "(2,)"));
    CHECK(h.dtype == c.type);
    CHECK(h.big_endian == c.big);
    CHECK(h.needs_swap() == c.big);
  }
}

TEST_CASE("npy header: keys in any order, either quote, any white space, commas or none") {
  const std::string_view texts[] = {
      "{'shape': (3, 4), 'fortran_order': True, 'descr': '>f8'}",
      "{'fortran_order': True, 'descr': '>f8', 'shape': (3, 4), }\n",
      "{\"descr\": \">f8\", \"fortran_order\": True, \"shape\": (3, 4)}",
      "{'descr':'>f8','fortran_order':True,'shape':(3,4)}",
      "  {\n 'descr' :\t'>f8' , 'fortran_order' : True ,\r\n 'shape' : ( 3 , 4 , ) , }  \n\n",
      "{u'descr': u'>f8', u'fortran_order': True, u'shape': (3L, 4L)}",
      "{'descr': '>f8', 'fortran_order': True, 'shape': (+3, 4)}",
  };
  for (const std::string_view text : texts) {
    CAPTURE(text);
    const npy_header h = parse_text(text);
    CHECK(h.dtype == dtype::float64);
    CHECK(h.big_endian);
    CHECK(h.fortran_order);
    CHECK(h.shape == shape{3, 4});
    CHECK(h.data_offset == 10 + static_cast<std::int64_t>(text.size()));
  }
}

TEST_CASE("npy header: shapes of every rank") {
  CHECK(parse_text(dict("<f8", "()")).shape == shape{});
  CHECK(parse_text(dict("<f8", "()")).data_bytes() == 8);
  CHECK(parse_text(dict("<f8", "( )")).shape == shape{});
  CHECK(parse_text(dict("<f8", "(3,)")).shape == shape{3});
  CHECK(parse_text(dict("<f8", "(10,4,)")).shape == shape{10, 4});
  CHECK(parse_text(dict("<f8", "(0, 4)")).data_bytes() == 0);
  CHECK(parse_text(dict("|u1", "(2821863639,)")).data_bytes() == 2821863639);
  CHECK(parse_text(dict("<f8", "(1073741824, 2)")).data_bytes() == std::int64_t{1} << 34);
  std::string ones = "(";
  for (int i = 0; i < 32; ++i) ones += "1, ";
  CHECK(parse_text(dict("<f8", ones + ")")).shape.ndim() == 32);
  CHECK(contains(message<ashlar::file_error>(file_of(dict("<f8", ones + "1)"))), "more than 32 axes"));
}

TEST_CASE("npy header: versions 2.0 and 3.0, long and unaligned headers") {
  for (const int version : {2, 3}) {
    const npy_header h = parse_text(dict("<f8", "(3,)"), version);
    CHECK(h.major == version);
    CHECK(h.data_offset == 12 + static_cast<std::int64_t>(dict("<f8", "(3,)").size()));
  }
  const npy_header h = parse_text(dict("<f8", "(3,)") + std::string(300, ' ') + "\n");
  CHECK(h.data_offset > 255);
  CHECK(parse_text(dict("<f8", "(3,)") + std::string(100000, ' '), 2).data_offset > 65535);
}

TEST_CASE("npy header: bytes behind the header do not matter") {
  CHECK(parse(file_of(dict("<f8", "(3,)")) + "}}}").shape == shape{3});
}

TEST_CASE("npy header: element types that are not ours are named, with what is supported") {
  const struct {
    std::string_view value;
    std::string_view said;
  } cases[] = {{"'<f2'", "'<f2' is half precision"},
               {"'<f16'", "'<f16' is extended precision"},
               {"'<c32'", "'<c32' is extended precision"},
               {"'|O'", "'|O' holds pickled Python objects"},
               {"'<U12'", "'<U12' holds text"},
               {"'|S5'", "'|S5' holds text"},
               {"'<M8[ns]'", "'<M8[ns]' holds dates"},
               {"'<m8'", "'<m8' holds dates"},
               {"'|V8'", "'|V8' holds raw records"},
               {"'<x8'", "'<x8' is unknown"},
               {"'<f9'", "'<f9' is unknown"},
               {"''", "'' is unknown"},
               {"'<'", "'<' is unknown"},
               {"'<float64'", "'<float64' is unknown"},
               {"' f8'", "' f8' is unknown"},
               {"[('a', '<f8'), ('b}', '<i4')]", "'[('a', '<f8'), ('b}', '<i4')]' is structured"},
               {"('<f8', (2,))", "'('<f8', (2,))' is structured"}};
  for (const auto& c : cases) {
    CAPTURE(c.value);
    const std::string text = "{'descr': " + std::string(c.value) + ", 'fortran_order': False, 'shape': (3,), }";
    const std::string said = message<ashlar::dtype_error>(file_of(text), "a.npy");
    CHECK(contains(said, "'a.npy'"));
    CHECK(contains(said, c.said));
    CHECK(contains(said, "float64"));
  }
}

TEST_CASE("npy header: malformed text is quoted, with what would be right") {
  const struct {
    std::string_view text;
    std::string_view said;
  } cases[] = {
      {"", "expected a dictionary that starts with '{', found the end"},
      {"[]", "expected a dictionary"},
      {"{", "expected a key in quotes, or '}', found the end"},
      {"{}", "key 'descr' is missing"},
      {"{'descr': '<f8', 'shape': (3,)}", "key 'fortran_order' is missing"},
      {"{'descr': '<f8', 'fortran_order': False}", "key 'shape' is missing"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}", "key 'shape' appears twice"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'x': 1}", "unknown key 'x'"},
      {"{descr: '<f8'}", "expected a key in quotes, or '}', found 'descr: '<f8'}'"},
      {"{'descr' '<f8'}", "expected ':' behind key 'descr'"},
      {"{'descr: '<f8'}", "expected ':' behind key 'descr: '"},
      {"{'des\\x63r': '<f8'}", "without escapes"},
      {"{'descr", "expected a closing quote"},
      {"{'descr': None}", "expected an element type in quotes"},
      {"{'descr': '<f8' 'shape': (3,)}", "expected ',' or '}' behind the value of 'descr'"},
      {"{'descr': '<f8', 'fortran_order': 0}", "expected True or False behind 'fortran_order', found '0}'"},
      {"{'descr': '<f8', 'fortran_order': Falsey}", "expected True or False"},
      {"{'descr': '<f8', 'fortran_order': false}", "expected True or False"},
      {"{'shape': [3]}", "expected a tuple behind 'shape', such as (3, 4), found '[3]}'"},
      {"{'shape': 3}", "expected a tuple"},
      {"{'shape': (3)}", "the shape of one axis is written (3,)"},
      {"{'shape': (3 4)}", "expected ',' or ')' in the shape, found '4)}'"},
      {"{'shape': (,)}", "expected an extent, found ',)}'"},
      {"{'shape': (3,,4)}", "expected an extent"},
      {"{'shape': (3.0,)}", "expected an extent"},
      {"{'shape': (0x3,)}", "expected an extent"},
      {"{'shape': (3_0,)}", "expected an extent"},
      {"{'shape': (03,)}", "expected an extent"},
      {"{'shape': (True,)}", "expected an extent"},
      {"{'shape': ('3',)}", "expected an extent"},
      {"{'shape': (-3,)}", "expected an extent of 0 or more, found '-3,)}'"},
      {"{'shape': (9223372036854775808,)}", "expected an extent below 2**63"},
      {"{'shape': (-99999999999999999999,)}", "expected an extent of 0 or more"},
      {"{'shape': (3,", "expected an extent, found the end"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x", "expected nothing behind '}', found 'x'"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)", "expected ',' or '}' behind the value of 'shape'"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
       "shape (4294967296, 4294967296) of float64 has more bytes than 64 bits can count"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,)}", "more bytes than 64 bits"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", "more bytes than 64 bits"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}", "ends beyond byte 2**63 - 1"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string said = message<ashlar::file_error>(file_of(c.text), "dir/a.npy");
    CHECK(contains(said, "npy file 'dir/a.npy': "));
    CHECK(contains(said, c.said));
  }
}

TEST_CASE("npy header: quoted text is printable and bounded") {
  const std::string said = message<ashlar::file_error>(file_of("{'\x01\xff" + std::string(500, 'a') + "\x02': 1}"));
  CHECK(contains(said, "\\x01\\xff"));
  CHECK(said.size() < 400);
  for (const char c : said) CHECK((c >= ' ' && c < 127));
}

TEST_CASE("npy header: wrong magic, version and length") {
  const auto said = [](std::string_view bytes) { return message<ashlar::file_error>(bytes, "a.npy"); };
  const std::string good = file_of(dict("<f8", "(3,)"));
  CHECK(contains(said("hello world, this is text"), "starts with 'hello wo', expected '\\x93NUMPY'"));
  CHECK(contains(said("PK\x03\x04 and more"), "an .npz file holds several"));
  CHECK(contains(said(""), "truncated: 0 bytes"));
  CHECK(contains(said(std::string_view(good).substr(0, 5)), "truncated: 5 bytes"));
  CHECK(contains(said(std::string_view(good).substr(0, 9)), "truncated: 9 bytes"));
  CHECK(contains(said(std::string_view(good).substr(0, good.size() - 1)),
                 "the header ends at byte " + std::to_string(good.size())));
  CHECK(contains(said(file_of("{}", 2).substr(0, 11)), "expected at least 12"));
  std::string version = good;
  version[6] = '\x04';
  CHECK(contains(said(version), "version 4.0, expected 1.0, 2.0 or 3.0"));
  version = good;
  version[7] = '\x01';
  CHECK(contains(said(version), "version 1.1"));
  CHECK(contains(said(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
                 "4294967295 bytes long, expected at most 1048576"));
}

TEST_CASE("npy header: every truncation of a good header is an error") {
  const std::string good = ashlar::npy_header_bytes(dtype::float64, shape{3, 4});
  for (std::size_t n = 0; n < good.size(); ++n) {
    CHECK_THROWS_AS(parse(std::string_view(good).substr(0, n)), ashlar::file_error);
  }
  CHECK(parse(good).shape == shape{3, 4});
}

TEST_CASE("npy header: its size is told from the first bytes") {
  const std::string good = ashlar::npy_header_bytes(dtype::float64, shape{3, 4});
  const auto* bytes = reinterpret_cast<const std::byte*>(good.data());
  CHECK(ashlar::npy_header_size({bytes, 10}) == static_cast<std::int64_t>(good.size()));
  CHECK_THROWS_AS(ashlar::npy_header_size({bytes, 9}), ashlar::file_error);
}

TEST_CASE("npy header: written bytes are NumPy's") {
  const auto golden = [](std::string_view text, std::size_t spaces) {
    return file_of(std::string(text) + std::string(spaces, ' ') + "\n");
  };
  // Spaces counted in files that NumPy 2 wrote.
  CHECK(ashlar::npy_header_bytes(dtype::float64, shape{}) ==
        golden("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 62));
  CHECK(ashlar::npy_header_bytes(dtype::float64, shape{3}) ==
        golden("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 60));
  CHECK(ashlar::npy_header_bytes(dtype::float64, shape{20000, 20000}) ==
        golden("{'descr': '<f8', 'fortran_order': False, 'shape': (20000, 20000), }", 50));
  CHECK(ashlar::npy_header_bytes(dtype::boolean, shape{0, 2, 3}) ==
        golden("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 2, 3), }", 55));
  CHECK(ashlar::npy_header_bytes(dtype::complex128, shape{2, 3}, true) ==
        golden("{'descr': '<c16', 'fortran_order': True, 'shape': (2, 3), }", 58));
}

TEST_CASE("npy header: whatever is written is read back") {
  const shape shapes[] = {shape{}, shape{0}, shape{1}, shape{3000000000, 0}, shape{2, 3, 4, 5}, shape::filled(32, 1)};
  for (const shape& s : shapes) {
    for (int t = 0; t <= static_cast<int>(dtype::complex128); ++t) {
      for (const bool order : {false, true}) {
        const std::string bytes = ashlar::npy_header_bytes(static_cast<dtype>(t), s, order);
        CHECK(bytes.size() % 64 == 0);
        const npy_header h = parse(bytes);
        CHECK(h.dtype == static_cast<dtype>(t));
        CHECK(h.shape == s);
        CHECK(h.fortran_order == order);
        CHECK_FALSE(h.needs_swap());
        CHECK(h.data_offset == static_cast<std::int64_t>(bytes.size()));
      }
    }
  }
}

TEST_CASE("npy header: version 2.0 only where 1.0 cannot hold the text") {
  const std::string small = ashlar::detail::npy_wrap_header(std::string(65535 - 64, 'x'));
  const std::string large = ashlar::detail::npy_wrap_header(std::string(65535, 'x'));
  CHECK(small[6] == 1);
  CHECK(large[6] == 2);
  CHECK(small.size() % 64 == 0);
  CHECK(large.size() % 64 == 0);
  CHECK(static_cast<unsigned char>(large[10]) == 1);
  CHECK_THROWS_AS(ashlar::detail::npy_wrap_header(std::string(1 << 20, 'x')), ashlar::file_error);
}
