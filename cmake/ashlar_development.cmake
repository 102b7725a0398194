# Switches for the project's own programs. Nothing here reaches a user's target.

string(REPLACE "," ";" ashlar_checks "${ASHLAR_CHECKS}")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# ccache needs to be told that a precompiled header's time stamps do not matter, and that two clones of the project may
# share what they compiled.
find_program(ASHLAR_CCACHE_PROGRAM ccache)
mark_as_advanced(ASHLAR_CCACHE_PROGRAM)
if(ASHLAR_CCACHE AND ASHLAR_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true
    "${ASHLAR_CCACHE_PROGRAM}")
  set(ashlar_pch_options
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>"
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Warnings and sanitizers, for every file of the project.
add_library(ashlar_switches INTERFACE)
target_compile_options(ashlar_switches INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASHLAR_WERROR}>>:-Werror>")
if(ASHLAR_SANITIZE)
  target_compile_options(ashlar_switches INTERFACE
    -fsanitize=${ASHLAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ashlar_switches INTERFACE -fsanitize=${ASHLAR_SANITIZE})
  target_compile_definitions(ashlar_switches INTERFACE ASHLAR_DETAIL_BASELINE_ONLY)
endif()

# Programs of the project compile the planner and the executors once: a test then takes a third of the time. That the
# headers are enough by themselves is what the checks of headers, of the package and of README's program are for.
add_library(ashlar_development INTERFACE)
target_link_libraries(ashlar_separate PRIVATE ashlar_switches)
set_target_properties(ashlar_separate PROPERTIES CXX_EXTENSIONS OFF)
if(ASHLAR_SANITIZE)  # what every test runs; the tests themselves compile quicker than they would run
  target_compile_options(ashlar_separate PRIVATE -O1)
endif()
target_link_libraries(ashlar_development INTERFACE ashlar_separate ashlar_switches)
# The headers alone, as most users have them.
add_library(ashlar_header_only INTERFACE)
target_link_libraries(ashlar_header_only INTERFACE ashlar_threads ashlar_switches)
if(TARGET ashlar_eigen)
  target_link_libraries(ashlar_development INTERFACE ashlar_eigen)
  target_link_libraries(ashlar_header_only INTERFACE ashlar_eigen)
endif()

if(TARGET ashlar_cuda)
  target_link_libraries(ashlar_header_only INTERFACE ashlar_cuda)
endif()

# ashlar_add_program(name sources...): an executable with the warnings and sanitizers of the project.
function(ashlar_add_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ashlar_development)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# ashlar_headers(variable): every header under include/, relative to it.
function(ashlar_headers variable)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
    "${PROJECT_SOURCE_DIR}/include/ashlar/*.hpp")
  list(SORT headers)
  if(NOT TARGET ashlar_eigen)
    list(FILTER headers EXCLUDE REGEX "eigen")
  endif()
  if(NOT TARGET ashlar_cuda)
    list(FILTER headers EXCLUDE REGEX "ashlar/cuda(/|\\.hpp)")
  endif()
  set(${variable} ${headers} PARENT_SCOPE)
endfunction()

# Headers of which a program has another one instead; they are left out where all headers come together.
set(ashlar_alternative_headers ashlar/detail/tile_math/scalar.hpp)

# ashlar_add_skipped(name reason): a test that is reported as skipped and prints why.
function(ashlar_add_skipped name reason)
  message(WARNING "test ${name} is skipped: ${reason}")
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "SKIPPED: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED:")
endfunction()
