# Helpers of the build: compiler flags, skep_layer(), skep_test(), skep_fuzz().

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_get_variable(SKEP_LIBPQ_INCLUDE_DIR libpq includedir)

add_library(skep_flags INTERFACE)
target_compile_definitions(skep_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(skep_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wshadow -Wconversion -Wenum-conversion -Wvla -Wstrict-prototypes
  -Wmissing-prototypes -Werror>
  $<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized -Wno-format-truncation>)
# -O3 does not see through SKEP_TRY, and takes every snprintf that may cut a text for a mistake.
if(SKEP_FUZZ)
  # clang's -Wconversion says more than gcc's: warnings of this build inform, they do not stop it.
  target_compile_options(skep_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wno-error>)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SKEP_SANITIZE)
  # The sanitizers' own arithmetic draws false conversion warnings; the debug and release builds judge those.
  target_compile_options(skep_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wno-conversion -Wno-sign-conversion>)
  add_compile_options(-fsanitize=${SKEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SKEP_SANITIZE})
endif()

# Headers of a layer are included as "layer/file.h". A folder that holds nothing but a link named after the layer is the
# include path, so that only the layers a target links become visible to it.
function(skep_layer_include name)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/layers/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/layers/${name}/${name} SYMBOLIC)
endfunction()

# skep_layer(name LAYERS lower... LIBS external...): every .c file of the folder but tests becomes the library skep_<name>;
# every x_test.c becomes the test <name>.x. Globbing is meant: a file's place in the tree says where it belongs.
function(skep_layer name)
  cmake_parse_arguments(A "" "" "LAYERS;LIBS;SOURCES" ${ARGN})
  skep_layer_include(${name})
  set_property(GLOBAL APPEND PROPERTY SKEP_LAYERS ${name}) # for the tests in tests/build
  set_property(GLOBAL PROPERTY SKEP_LAYERS_OF_${name} ${A_LAYERS})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  list(FILTER tests INCLUDE REGEX "_test\\.c$")
  if(NOT sources)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/empty.c CONTENT "typedef int skep_${name}_is_empty;\n")
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
  endif()
  add_library(skep_${name} STATIC ${sources} ${A_SOURCES})
  target_include_directories(skep_${name} PUBLIC ${CMAKE_BINARY_DIR}/layers/${name} ${CMAKE_SOURCE_DIR}/include)
  list(TRANSFORM A_LAYERS PREPEND skep_ OUTPUT_VARIABLE lower)
  target_link_libraries(skep_${name} PUBLIC ${lower} PRIVATE skep_flags PUBLIC ${A_LIBS} Threads::Threads)
  if(SKEP_TESTS)
    foreach(source ${tests})
      get_filename_component(base ${source} NAME_WE)
      string(REGEX REPLACE "_test$" "" base ${base})
      skep_test(${name}.${base} ${source} skep_${name})
    endforeach()
  endif()
endfunction()

# skep_test(name source libs...): one cmocka program.
function(skep_test name source)
  find_library(CMOCKA_LIBRARY cmocka REQUIRED)
  string(REPLACE "." "_" target "test_${name}")
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${ARGN} skep_flags ${CMOCKA_LIBRARY})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests) # "support/test.h", "support/failing_alloc.h"
  target_compile_definitions(${target} PRIVATE SKEP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

# skep_share(variable debug sanitized release): the one of this build. Random tests run in three builds, each with seeds of its
# own; together they do what tests/README.md promises of a ./check.
function(skep_share variable debug sanitized release)
  if(SKEP_SANITIZE)
    set(${variable} ${sanitized} PARENT_SCOPE)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(${variable} ${debug} PARENT_SCOPE)
  else()
    set(${variable} ${release} PARENT_SCOPE)
  endif()
endfunction()

# skep_fuzz(name source layers...): a function LLVMFuzzerTestOneInput. Always built as a plain program that replays files
# (test fuzz.<name> over tests/fuzz/corpus/<name>), with SKEP_FUZZ also as the libFuzzer program fuzz_<name>.
function(skep_fuzz name source)
  list(TRANSFORM ARGN PREPEND skep_ OUTPUT_VARIABLE layers)
  set(targets replay_${name})
  add_executable(replay_${name} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c)
  if(SKEP_FUZZ)
    add_executable(fuzz_${name} ${source})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND targets fuzz_${name})
  endif()
  foreach(target ${targets})
    target_link_libraries(${target} PRIVATE ${layers} skep_flags)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  endforeach()
  add_test(NAME fuzz.${name} COMMAND replay_${name} --bend ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz SKIP_RETURN_CODE 77)
endfunction()

# skep_on_postgres(test...): these tests run on the throw-away server that the fixture `postgres` (tests/CMakeLists.txt)
# starts. They skip themselves where PostgreSQL is not installed.
function(skep_on_postgres)
  set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED postgres SKIP_RETURN_CODE 77
    ENVIRONMENT SKEP_TEST_POSTGRES=${CMAKE_BINARY_DIR}/postgres/url)
endfunction()

# skep_postgres_tests(name...): the cmocka programs of these tests once more, as <name>.postgres.
function(skep_postgres_tests)
  if(NOT SKEP_TESTS)
    return()
  endif()
  foreach(name ${ARGN})
    string(REPLACE "." "_" target "test_${name}")
    add_test(NAME ${name}.postgres COMMAND ${target})
    set_tests_properties(${name}.postgres PROPERTIES LABELS unit)
    skep_on_postgres(${name}.postgres)
  endforeach()
endfunction()
