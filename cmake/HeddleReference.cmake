# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the manual pages and the completion of shells with `heddle reference`, from the definitions of the commands and from
# docs/man.
set(HEDDLE_REFERENCE "${CMAKE_BINARY_DIR}/reference")
file(GLOB manual_texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.man")
set(stamp "${CMAKE_BINARY_DIR}/reference.stamp")
add_custom_command(OUTPUT "${stamp}"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${HEDDLE_REFERENCE}"
  COMMAND heddle reference "${HEDDLE_REFERENCE}" --text "${PROJECT_SOURCE_DIR}/docs/man"
  COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
  DEPENDS heddle ${manual_texts}
  COMMENT "Writing manual pages and completion" VERBATIM)
add_custom_target(heddle-reference ALL DEPENDS "${stamp}")
