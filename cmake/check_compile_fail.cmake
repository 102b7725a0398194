# Checks that SOURCE does not compile and that each `// expect: REGEX` in it matches what the compiler prints.
file(STRINGS "${SOURCE}" lines REGEX "^ *// expect(-gcc|-clang)?: ")
set(expected_count 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^ *// expect: (.+)$" OR line MATCHES "^ *// expect-${KIND}: (.+)$")
    math(EXPR expected_count "${expected_count} + 1")
    set(expected_${expected_count} "${CMAKE_MATCH_1}")
  endif()
endforeach()

execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C
  "${COMPILER}" -std=c++20 -Wall -Wextra "-I${INCLUDE}" -c "${SOURCE}" -o "${OBJECT}"
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
file(REMOVE "${OBJECT}")

if(SOURCE MATCHES "/control\\.cpp$")
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "the control file must compile\n${text}")
  endif()
  return()
endif()

if(expected_count EQUAL 0)
  message(FATAL_ERROR "${SOURCE} expects no message: add a line `// expect: REGEX`")
endif()
if(status STREQUAL "0")
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()
foreach(i RANGE 1 ${expected_count})
  if(NOT text MATCHES "${expected_${i}}")
    message(FATAL_ERROR "no message matches: ${expected_${i}}\n${text}")
  endif()
endforeach()
