# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Generates files from isa/*.isa with isa/generate.py.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

# heddle_generate_isa(OPTION FILE ...): adds the rule that generates the files. OPTION is --tables, --docs or --shapes.
function(heddle_generate_isa)
  set(source "${PROJECT_SOURCE_DIR}/isa")
  set(include "${PROJECT_SOURCE_DIR}/include")
  file(GLOB blocks CONFIGURE_DEPENDS "${source}/*.isa")
  file(GLOB generator CONFIGURE_DEPENDS "${source}/*.py")
  file(GLOB headers CONFIGURE_DEPENDS "${include}/hsa/hsa_brig*.h")
  set(files ${ARGN})
  list(FILTER files EXCLUDE REGEX "^--")
  add_custom_command(
    OUTPUT ${files}
    COMMAND "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1
      "${Python3_EXECUTABLE}" "${source}/generate.py" --include "${include}" ${ARGN} ${blocks}
    DEPENDS ${blocks} ${generator} ${headers}
    COMMENT "Generating from the instruction set"
    VERBATIM)
endfunction()
