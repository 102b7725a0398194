# The front door; CMakeLists.txt and CMakePresets.json do the work.
#   make demo    install what is missing, build, and run the demonstration
#   make test    install what is missing, build, and run the tests (PRESET=dev, clang, asan, tsan, release)
#   make bench   measure against NumPy, Dask and Eigen on this machine

PRESET ?= dev
JOBS ?= $(shell nproc)
DEMO_ARGS ?=
BENCH_ARGS ?=

.PHONY: help demo test bench install-deps python format clean

help:
	@sed -n 's/^#   //p' Makefile

demo: install-deps
	cmake --preset release
	cmake --build --preset release --target ashlar-demo
	build/release/examples/ashlar-demo $(DEMO_ARGS)

test: install-deps python
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET)
	ctest --preset $(PRESET) -j $(JOBS)

bench: install-deps
	.ci/python-packages build/bench-python numpy dask matplotlib numexpr
	cmake --preset bench
	cmake --build --preset bench
	build/bench-python/bin/python3 bench/run.py --build build/bench/bench $(BENCH_ARGS)
	build/bench/bench/bench_tasks
	build/bench/bench/bench_array_tasks
	build/bench-python/bin/python3 bench/workloads.py --build build/bench/bench
	build/bench-python/bin/python3 bench/movement.py --build build/bench/bench
	build/bench-python/bin/python3 bench/expressions.py --build build/bench/bench

install-deps:
	@.ci/install-packages

# NumPy for the tests that compare with it; without a package index they are skipped, and say so.
python:
	@.ci/python-packages build/python numpy

format:
	.ci/format

clean:
	rm -rf build
