# For checks that compile what a target compiles in another way (cmake/alone, cmake/tidy).

# ioproof_sources_of(VARIABLE TARGET): its source files, with absolute paths and without those that the build generates.
function(ioproof_sources_of variable target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}")
  list(TRANSFORM sources PREPEND "${CMAKE_SOURCE_DIR}/" REGEX "^[^/]")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ioproof_compile_again(NAME TARGET SOURCE...): an object library of the sources, compiled with TARGET's options; not part of `all`.
function(ioproof_compile_again name target)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_link_libraries(${name} PRIVATE ioproof_flags)
endfunction()
