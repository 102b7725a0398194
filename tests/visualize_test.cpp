#include <ashlar/ashlar.hpp>
#include <ashlar/graph/dot.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/graph/picture.hpp>

#include "support/files.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace ash = ashlar;
using testing_support::contains;
using testing_support::read_file;

namespace {

int count_of(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

ash::array<double> blocks(std::int64_t rows, std::int64_t columns, std::int64_t block) {
  return ash::random::normal<double>({rows, columns}, {.seed = 3, .chunks = {block, block}});
}

/// PATH for as long as it lives.
class search_path {
 public:
  explicit search_path(const std::string& value) : before_(std::getenv("PATH")) { ::setenv("PATH", value.c_str(), 1); }
  ~search_path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

void write_program(const std::string& path, const std::string& text) {
  testing_support::write_file(path, "#!/bin/sh\n" + text + "\n");
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
}

}  // namespace

TEST_CASE("to_dot: a box a layer, a cylinder a source, an ellipse a result, and the edges between them") {
  const auto x = blocks(400, 600, 100);
  const std::string text = x.mean(0).to_dot();
  CAPTURE(text);
  CHECK(text.starts_with("digraph ashlar {\n"));
  CHECK(text.ends_with("}\n"));
  CHECK(count_of(text, "cylinder") == 1);
  CHECK(count_of(text, "ellipse") == 1);
  CHECK(contains(text, "\"normal\\nfloat64 (400, 600)\\nin 24 blocks of (100, 100)\""));
  CHECK(contains(text, "mean (partial)\\n24 tasks\\nreads 0 B, writes"));
  CHECK(contains(text, "mean (combine)\\nfloat64 (600,)\\nin 6 blocks of (100,)\\n6 tasks"));
  CHECK(contains(text, "visualize_test.cpp:"));
  CHECK(contains(text, "  s0 -> l0;\n"));
  CHECK(contains(text, "  l0 -> l1;\n"));
  CHECK(contains(text, "  l1 -> r0;\n"));
  CHECK(count_of(text, "->") == 3);
}

TEST_CASE("to_dot: what two passes share is drawn once, and several results in one picture") {
  const auto x = blocks(400, 400, 100);
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  const std::string text = ash::to_dot({}, z.min(), z.max());
  CAPTURE(text);
  CHECK(count_of(text, "cylinder") == 1);
  CHECK(count_of(text, "ellipse") == 2);
  CHECK(contains(text, "result 1\\nfloat64 ()"));
  CHECK(contains(text, "min, max (partial)"));
  CHECK(contains(text, "2 operations"));
  const std::string apart = ash::to_dot({.optimize = false}, z.min(), z.max());
  CHECK(count_of(apart, "\\n16 tasks") > count_of(text, "\\n16 tasks"));
}

TEST_CASE("to_dot: on demand a box a task, and no more of them than asked for") {
  const auto x = blocks(400, 600, 100);
  const std::string text = x.mean(0).to_dot({.blocks = true});
  CAPTURE(text);
  CHECK(count_of(text, "subgraph") == 2);
  CHECK(count_of(text, "tooltip") == 30);
  CHECK(contains(text, "label=\"(3, 5)\\n"));
  CHECK(count_of(text, "->") == 24 + 6);
  CHECK_THROWS_WITH_AS(
      x.mean(0).to_dot({.blocks = true, .max_nodes = 29}),
      "visualize: the picture would have 30 tasks, and max_nodes is 29; draw layers instead of blocks, "
      "use larger chunks, or raise max_nodes",
      ash::value_error);
  CHECK_NOTHROW(x.mean(0).to_dot({.blocks = true, .max_nodes = 30}));
  ash::array<double> chain = x;
  for (int k = 0; k < 50; ++k) chain = sqrt(chain);
  CHECK_THROWS_WITH_AS(chain.to_dot({.optimize = false, .max_nodes = 10}), doctest::Contains("layers"),
                       ash::value_error);
}

TEST_CASE("to_dot: colours by kind and by bytes") {
  const auto x = ash::from(blocks(400, 400, 100).compute(), {.chunks = {100, 100}});
  const std::string kinds = x.sum().to_dot();
  CHECK(contains(kinds, "#cfdff5"));
  CHECK(contains(kinds, "#f5e3c0"));
  const std::string bytes = x.sum().to_dot({.color = ash::color_by::bytes});
  CAPTURE(bytes);
  CHECK(contains(bytes, "fillcolor=\"0.000 0.800 1.000\""));  // the pass over the data
  CHECK(contains(bytes, "fillcolor=\"0.16"));                 // what combines a few numbers
  CHECK_THROWS_WITH_AS(x.sum().to_dot({.color = ash::color_by::time}), doctest::Contains(".report = &r"),
                       ash::value_error);
}

TEST_CASE("quoted text: quotes, backslashes, control characters and bytes that are no UTF-8") {
  const auto json = [](std::string_view s) {
    std::string out;
    ash::detail::append_json(out, s);
    return out;
  };
  const auto dot = [](std::string_view s) {
    std::string out;
    ash::detail::append_dot(out, s);
    return out;
  };
  CHECK(json("a\"b\\c\n\x01\x1f\x7f") == "\"a\\\"b\\\\c\\n\\u0001\\u001f\\u007f\"");
  CHECK(json("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") == "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  CHECK(json("\xff\xc3") == "\"\\ufffd\\ufffd\"");
  CHECK(json("\xc0\x80") == "\"\\ufffd\\ufffd\"");                        // longer than it need be
  CHECK(json("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");             // half of a surrogate pair
  CHECK(json("\xf4\x90\x80\x80") == "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");  // above U+10FFFF
  CHECK(json(std::string_view("\0", 1)) == "\"\\u0000\"");
  CHECK(dot("a\"b\\N\nc\td\xff") == "\"a\\\"b\\\\N\\nc d?\"");
}

TEST_CASE("visualize: a name that ends in .dot or .gv gives the text") {
  const testing_support::temporary_directory folder;
  const auto x = blocks(200, 200, 100);
  const auto mean = x.mean(0);
  const auto deviation = x.std(0);
  mean.visualize(folder / "a.dot");
  CHECK(read_file(folder / "a.dot") == mean.to_dot());
  ash::visualize(folder / "b.gv", {.blocks = true}, mean, deviation);
  CHECK(read_file(folder / "b.gv") == ash::to_dot({.blocks = true}, mean, deviation));
  CHECK_THROWS_WITH_AS(x.visualize(folder / "a.jpeg"), doctest::Contains("may end in .svg, .png, .pdf"),
                       ash::value_error);
  CHECK_THROWS_AS(x.visualize(folder / "name"), ash::value_error);
  CHECK_THROWS_AS(x.visualize("a.b/name"), ash::value_error);
  CHECK_THROWS_WITH_AS(x.visualize(folder / "nowhere/a.dot"), doctest::Contains("No such file"), ash::file_error);
  REQUIRE(::symlink("/dev/full", (folder / "full.dot").c_str()) == 0);
  CHECK_THROWS_WITH_AS(x.visualize(folder / "full.dot"), doctest::Contains("No space left"), ash::file_error);
}

TEST_CASE("visualize: Graphviz is given the text and the name, whatever is in it") {
  const testing_support::temporary_directory folder;
  const auto mean = blocks(200, 200, 100).mean(0);
  write_program(folder / "dot", "test \"$1\" = -Tsvg && test \"$2\" = -o && /bin/cat > \"$3\"");
  {
    const search_path here(folder.path());
    mean.visualize(folder / "it's $(a) \"name\".svg");
  }
  CHECK(read_file(folder / "it's $(a) \"name\".svg") == mean.to_dot());
}

TEST_CASE("visualize: without Graphviz, and when it fails, the error says so") {
  const testing_support::temporary_directory folder;
  const auto x = blocks(200, 200, 100);
  const search_path here(folder.path());
  CHECK_THROWS_WITH_AS(x.visualize(folder / "a.svg"), doctest::Contains("apt-get install graphviz"), ash::file_error);
  write_program(folder / "dot", "echo 'Error: no such thing' >&2; exit 3");
  CHECK_THROWS_WITH_AS(x.visualize(folder / "a.svg"), doctest::Contains("did not draw"), ash::file_error);
  CHECK_THROWS_WITH_AS(x.visualize(folder / "a.svg"), doctest::Contains("Error: no such thing"), ash::file_error);
  write_program(folder / "dot", "kill -9 $$");
  CHECK_THROWS_WITH_AS(x.visualize(folder / "a.svg"), doctest::Contains("it was killed"), ash::file_error);
}

TEST_CASE("visualize: Graphviz, where it is installed, draws the text") {
  if (std::system("dot -V > /dev/null 2>&1") != 0) return;
  const testing_support::temporary_directory folder;
  const auto x = blocks(300, 300, 100);
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  ash::visualize(folder / "layers.svg", {.color = ash::color_by::bytes}, z.min(), z.max());
  const std::string layers = read_file(folder / "layers.svg");
  CHECK(contains(layers, "<svg"));
  CHECK(contains(layers, "min, max (partial)"));
  z.max().visualize(folder / "blocks.svg", {.blocks = true});
  CHECK(count_of(read_file(folder / "blocks.svg"), "<g id=\"node") > 20);
}
