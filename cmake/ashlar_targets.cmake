# The targets that users link. What a target needs is looked for quietly: one whose library is missing is not defined.

add_library(ashlar INTERFACE)
add_library(ashlar::ashlar ALIAS ashlar)
target_compile_features(ashlar INTERFACE cxx_std_20)
target_include_directories(ashlar INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:include>")

# The switches under which the same operations give the same bits across instruction sets, binaries and devices: no
# multiplication and addition may be contracted into one rounding.
add_library(ashlar_reproducible INTERFACE)
add_library(ashlar::reproducible ALIAS ashlar_reproducible)
set_target_properties(ashlar_reproducible PROPERTIES EXPORT_NAME reproducible)
target_compile_options(ashlar_reproducible INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--fmad=false;-Xcompiler=-ffp-contract=off>"
  "$<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-ffp-contract=off>")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads QUIET)
find_package(TBB QUIET)
if(TARGET TBB::tbb AND TARGET Threads::Threads)
  add_library(ashlar_threads INTERFACE)
  add_library(ashlar::threads ALIAS ashlar_threads)
  target_link_libraries(ashlar_threads INTERFACE ashlar TBB::tbb Threads::Threads)
endif()

# The same library with the planner and the executors compiled once instead of in every file that includes the headers.
if(TARGET ashlar_threads)
  add_library(ashlar_separate STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/ashlar.cpp")
  add_library(ashlar::separate ALIAS ashlar_separate)
  target_link_libraries(ashlar_separate PUBLIC ashlar_threads)
  target_compile_definitions(ashlar_separate PUBLIC ASHLAR_SEPARATE)
endif()

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(TARGET Eigen3::Eigen)
  add_library(ashlar_eigen INTERFACE)
  add_library(ashlar::eigen ALIAS ashlar_eigen)
  target_link_libraries(ashlar_eigen INTERFACE ashlar Eigen3::Eigen)
endif()

# Host code of the toolkit's runtime: a C++ compiler is enough, and no CUDA language need be enabled. The runtime is the
# one that CMake links to the target's CUDA files, so that no program has two.
find_package(CUDAToolkit 13.0 QUIET)
if(TARGET CUDA::cudart AND TARGET CUDA::cudart_static)
  add_library(ashlar_cuda INTERFACE)
  add_library(ashlar::cuda ALIAS ashlar_cuda)
  target_link_libraries(ashlar_cuda INTERFACE ashlar
    "$<IF:$<STREQUAL:$<UPPER_CASE:$<TARGET_PROPERTY:CUDA_RUNTIME_LIBRARY>>,SHARED>,CUDA::cudart,CUDA::cudart_static>")
endif()
