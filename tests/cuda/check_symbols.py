#!/usr/bin/env python3
"""Finds functions that g++ and nvcc compile to different bodies under one name.

The linker keeps one of two inline functions that have the same mangled name. That is right when both bodies mean the
same. It is wrong when the body reaches something that is different for the two compilers; everything in Ashlar that is,
carries a backend tag in its type, and so in its mangled name. So: no function or constant that is defined in both object
files may refer to a symbol that names a tag.

Usage: check_symbols.py OBJDUMP HOST_OBJECT DEVICE_OBJECT   (compiled at -O0, where every call is a reference)
"""
import re
import subprocess
import sys

TAGS = ("host_backend", "cuda_backend")


def references(objdump, path):
    """Mangled name -> symbols that its section refers to. Templates have one section each, named after them."""
    text = subprocess.run([objdump, "-r", "-w", path], check=True, capture_output=True, text=True).stdout
    result = {}
    current = None
    for line in text.splitlines():
        section = re.match(r"RELOCATION RECORDS FOR \[\.(?:text|rodata|data\.rel\.ro(?:\.local)?|data)\.(?:\w+\.)?(_Z\S+)\]:", line)
        if line.startswith("RELOCATION RECORDS"):
            current = result.setdefault(section.group(1), set()) if section else None
        elif current is not None:
            fields = line.split()
            if len(fields) == 3 and fields[1].startswith("R_"):
                current.add(re.sub(r"[+-]0x[0-9a-f]+$", "", fields[2]))
    return result


def main():
    objdump, host_path, device_path = sys.argv[1:]
    host = references(objdump, host_path)
    device = references(objdump, device_path)
    common = host.keys() & device.keys()
    tagged = [sum(any(tag in name for tag in TAGS) for name in half) for half in (host, device)]
    print(f"{len(host)} and {len(device)} functions, {len(common)} in both; {tagged[0]} and {tagged[1]} carry a tag")
    if len(common) < 50 or min(tagged) < 50:
        sys.exit("too few functions found: the check has nothing to look at")
    bad = []
    for name in sorted(common):
        if any(tag in name for tag in TAGS):
            bad.append((name, "carries a tag and is in both"))
        for half, where in ((host, "host"), (device, "device")):
            for symbol in sorted(half[name]):
                if any(tag in symbol for tag in TAGS):
                    bad.append((name, f"refers in the {where} object to {symbol}"))
    for name, why in bad:
        readable = subprocess.run(["c++filt"], input=f"{name}\n{why}", capture_output=True, text=True).stdout
        print(readable, file=sys.stderr)
    sys.exit(f"{len(bad)} references to a backend from functions without a tag" if bad else 0)


if __name__ == "__main__":
    main()
