#!/usr/bin/env python3
"""Checks the pages against the examples.

  code   each C++ block of README.md and docs/ whose marker names an example is a piece of that example, and so is each
         output block; README.md and the tutorial have no C++ block without a marker
  names  every public name of include/ashlar/*.hpp, of functions/ and of cuda/ appears in an example, or in the list below; and what
         the page for users of NumPy and Dask says is here, is in these headers
  links  every relative link of a page leads to a file

A marker is the line above a block: <!-- examples/hello.cpp --> for code, <!-- output of examples/hello.cpp --> for output,
where `...` in the example's expected output stands for any text.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALWAYS_MARKED = {"README.md", "tutorial.md"}

# For code that makes nodes, executors or memory of its own, and types that a program gets but need not name.
NEEDS_NO_EXAMPLE = set(
    """
    all_axes_t axis_set chunk_kind chunk_spec chunk_word full_word operand value_type_of value_type_t lazy_members
    device_type_t host_type_t expression graph_error norm memory_resource weak_cast weak_kind weak_scalar promote_weak is_signed_integer
    dtype_kind kind max_ndim creation_options linspace_options eye_options reduce_options moment_options normal_options
    angle_options choose_options close_options nan_to_num_options norm_options reduction_members scan_options scan_members cumulative_options
    diff_end diff_options ediff1d_options gradient_spacing gradient_options
    uniform_options integer_options print_options map_blocks_options blockwise_options
    map_overlap_options overlap_depth axis_depth boundaries boundary_kind graph_options layer_report worker_report
    pinned_memory device_memory_statistics event_ref event_options stream_options
    all_t last_t newaxis_t ellipsis_t index_entry view_members movement_members rechunk_options pad_options tri_options
    """.split()
)


def dedent(lines):
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return [line[margin:].rstrip() for line in lines]


def contains(lines, piece):
    """Whether `piece` stands in `lines`, whatever its indentation."""
    n = len(piece)
    return any(dedent(lines[i : i + n]) == dedent(piece) for i in range(len(lines) - n + 1))


def program_and_output(path):
    text = path.read_text()
    program, _, output = text.rpartition("// Output:\n")
    return program.splitlines(), [re.sub(r"^// ?", "", line) for line in output.splitlines()]


def output_contains(expected, piece):
    joined = "\n".join(line.rstrip() for line in expected)
    pattern = ".*".join(re.escape(part) for part in joined.split("..."))
    text = "\n".join(line.rstrip() for line in piece)
    return text in joined or re.fullmatch(pattern, text, re.DOTALL) is not None


def blocks(page):
    """(line number, language, marker, lines) of each fenced block."""
    lines = page.read_text().splitlines()
    marker = begin = language = None
    for number, line in enumerate(lines, 1):
        if begin is None and line.startswith("```"):
            begin, language = number, line[3:].strip()
            above = lines[number - 2] if number > 1 else ""
            found = re.fullmatch(r"<!-- (output of )?(examples/\S+) -->", above)
            marker = (bool(found.group(1)), found.group(2)) if found else None
        elif begin is not None and line.startswith("```"):
            yield begin, language, marker, lines[begin : number - 1]
            begin = None


def check_code():
    for page in PAGES:
        for number, language, marker, piece in blocks(page):
            place = f"{page.relative_to(ROOT)}:{number}"
            if marker is None:
                if language == "cpp" and page.name in ALWAYS_MARKED:
                    yield f"{place}: a C++ block without the marker of an example above it"
                continue
            is_output, name = marker
            if not (ROOT / name).is_file():
                yield f"{place}: there is no {name}"
                continue
            program, output = program_and_output(ROOT / name)
            if is_output and not output_contains(output, piece):
                yield f"{place}: not what {name} prints"
            if not is_output and not contains(program, piece):
                yield f"{place}: not a piece of {name}"


def public_headers():
    """(file name, text without what is in namespace detail) of each header that users include."""
    headers = sorted((ROOT / "include/ashlar").glob("*.hpp"))
    headers += sorted((ROOT / "include/ashlar/functions").glob("*.hpp"))
    headers += sorted((ROOT / "include/ashlar/cuda").glob("*.hpp"))
    headers += [ROOT / "include/ashlar/execution" / name for name in ("compute.hpp", "options.hpp")]
    hidden = r"^namespace (?:ashlar::)?(?:cuda::)?detail \{.*?^\}  // namespace (?:ashlar::)?(?:cuda::)?detail"
    for header in headers:
        yield header.name, re.sub(hidden, "", header.read_text(), flags=re.S | re.M)


def public_names():
    patterns = [
        r"^(?:class|struct|enum class) (\w+)",
        r"^concept (\w+)",
        r"^using (\w+)",
        r"^(?:inline )?constexpr [\w:<>]+ (\w+)(?:;| =|\{)",
        r"^(?! |requires|template|static_assert|return|namespace|using|friend|#|/|\})[^()=]*?[ &*](\w+)\(",
    ]
    for header, text in public_headers():
        for line in text.splitlines():
            for pattern in patterns:
                found = re.match(pattern, line)
                if found and "operator" not in line.split("(")[0] and "::detail::" not in line.split("(")[0]:
                    yield found.group(1), header
                    break


def check_names():
    code = ""
    examples = ROOT / "examples"
    for example in sorted([*examples.glob("*.cpp"), *examples.glob("cuda/*.cpp"), *examples.glob("cuda/*.cu")]):
        code += re.sub(r"//.*", "", "\n".join(program_and_output(example)[0]))
    for name, header in sorted(set(public_names())):
        if name not in NEEDS_NO_EXAMPLE and not re.search(rf"\b{name}\b", code):
            yield f"{name} ({header}) appears in no example"
    yield from check_translations()


def check_translations():
    """Each name in the second column of the tables that say what a name of NumPy's or Dask's is here."""
    page = ROOT / "docs/coming-from-numpy-and-dask.md"
    declared = {name for name, _ in public_names()}
    for _, text in public_headers():
        for line in text.splitlines():
            if found := re.match(r" +(?!return|//)[\w:<>&*~,. ]*?[ &*](\w+)\([^;]*\)[^;=]*\{", line):
                declared.add(found.group(1))  # a member
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 3:
            inside = False
            continue
        inside = inside or cells[:2] == ["NumPy, Dask", "here"]
        for name in re.findall(r"`([^`]+)`", cells[1]) if inside else []:
            word = re.sub(r"<.*?>", "", name).split("::")[-1]
            if word not in declared:
                yield f"{page.relative_to(ROOT)}:{number}: {name} is declared in no public header"


def check_links():
    for page in PAGES:
        text = re.sub(r"^```.*?^```", lambda code: "\n" * code.group().count("\n"), page.read_text(), flags=re.S | re.M)
        for number, line in enumerate(text.splitlines(), 1):
            for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", line)):
                if "://" not in target and not (page.parent / target).exists():
                    yield f"{page.relative_to(ROOT)}:{number}: {target} is not there"


def main():
    checks = {"code": check_code, "names": check_names, "links": check_links}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        sys.exit("usage: check.py " + "|".join(checks))
    faults = list(checks[sys.argv[1]]())
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
