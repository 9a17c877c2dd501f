# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs heddle. Each component is a Debian package as well (HeddlePackages.cmake):
#   runtime    what programs with finished code objects need: the runtime and the agents
#   finalizer  the toolchain library, which the runtime opens when a program finalizes
#   compiler   the compiler for kernels in OpenCL C, HIP and LLVM IR, which the command opens
#   hip        the runtime of HIP, which programs of `heddle hipcc` need
#   tools      the command, with manual pages and completion of shells
#   dev        what clients, agent drivers and users of the toolchain are built with, and the conformance suite for drivers
#   doc        documents and examples
include(CMakePackageConfigHelpers)

set(package "hsa-runtime64")
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/${package}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hsa" "${PROJECT_SOURCE_DIR}/include/hsam"
  "${PROJECT_SOURCE_DIR}/include/hsail" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# The runtime looks for the finalizer in its own folder and for the agents in a folder below, so an installation can be moved.
install(TARGETS hsa-runtime64 EXPORT ${package}-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS heddle_finalizer EXPORT hsail-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT finalizer NAMELINK_COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The compiler finds the toolchain library beside itself.
set_target_properties(heddle_compiler PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS heddle_compiler EXPORT hsail-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiler NAMELINK_COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The runtime of HIP finds that of HSA beside itself. Programs are linked with the library itself: the name without version belongs to
# whoever has the headers.
set_target_properties(amdhip64 PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS amdhip64 LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hip NAMELINK_SKIP)
# Programs include the headers of HIP with the option that `heddle hipcc` and `heddle cc` give to clang. They are not in the folder of
# all headers, where those of other implementations may be.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hip" DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_HIP_SUBDIR}/include" COMPONENT compiler
  FILES_MATCHING PATTERN "*.h")
install(FILES "${hip_root}/share/hip/version" DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_HIP_SUBDIR}/share/hip" COMPONENT compiler)
install(TARGETS heddle-check LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_LAYER_SUBDIR}" COMPONENT runtime)
foreach(agent heddle-agent-cpu heddle-agent-cuda heddle-agent-interpreter heddle-agent-null)
  if(TARGET ${agent})  # the cpu agent executes x86-64 code and exists there only
    install(TARGETS ${agent} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_AGENT_SUBDIR}" COMPONENT runtime)
  endif()
endforeach()

# The agent of NVIDIA GPUs starts this program, which it looks for beside itself.
install(TARGETS heddle-cuda-host RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_AGENT_SUBDIR}" COMPONENT runtime)

# find_package(hsa-runtime64) gives hsa-runtime64::hsa-runtime64. Clients ask for the version of the HSA runtime
# specification.
set(HSA_VERSION 1.2)
install(EXPORT ${package}-targets NAMESPACE ${package}:: DESTINATION "${package_folder}" COMPONENT dev)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/hsa-runtime64-config.cmake.in"
  "${CMAKE_BINARY_DIR}/${package}-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/${package}-config-version.cmake" VERSION ${HSA_VERSION}
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/${package}-config.cmake" "${CMAKE_BINARY_DIR}/${package}-config-version.cmake"
  DESTINATION "${package_folder}" COMPONENT dev)

# find_package(hsail) gives hsail::hsail and hsail::hsail-compiler. Clients ask for the version of HSAIL.
set(HSAIL_VERSION 1.2)
set(hsail_folder "${CMAKE_INSTALL_LIBDIR}/cmake/hsail")
install(EXPORT hsail-targets NAMESPACE hsail:: DESTINATION "${hsail_folder}" COMPONENT dev)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/hsail-config.cmake.in" "${CMAKE_BINARY_DIR}/hsail-config.cmake"
  INSTALL_DESTINATION "${hsail_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/hsail-config-version.cmake" VERSION ${HSAIL_VERSION}
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/hsail-config.cmake" "${CMAKE_BINARY_DIR}/hsail-config-version.cmake"
  DESTINATION "${hsail_folder}" COMPONENT dev)

file(RELATIVE_PATH HSA_PREFIX_FROM_PC "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" HSA_PREFIX_FROM_PC "${HSA_PREFIX_FROM_PC}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/hsa-runtime64.pc.in" "${CMAKE_BINARY_DIR}/hsa-runtime64.pc" @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/hsail.pc.in" "${CMAKE_BINARY_DIR}/hsail.pc" @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/hsail-compiler.pc.in" "${CMAKE_BINARY_DIR}/hsail-compiler.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/hsa-runtime64.pc" "${CMAKE_BINARY_DIR}/hsail.pc" "${CMAKE_BINARY_DIR}/hsail-compiler.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# The command, and what `heddle reference` has made.
file(RELATIVE_PATH libraries_from_command "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(heddle PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_command}")
install(TARGETS heddle RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
install(DIRECTORY "${HEDDLE_REFERENCE}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT tools)
install(DIRECTORY "${HEDDLE_REFERENCE}/bash-completion" "${HEDDLE_REFERENCE}/zsh" "${HEDDLE_REFERENCE}/fish"
  DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT tools)

# The suite for agent drivers (tests/driver_conformance).
install(FILES "${PROJECT_SOURCE_DIR}/docs/man/heddle-driver-conformance.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
  COMPONENT dev)

# The pages refer to each other and to examples by the same relative paths as in the source tree.
set(document_folder "${CMAKE_INSTALL_DATADIR}/doc/heddle")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${document_folder}" COMPONENT doc)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${document_folder}" COMPONENT doc
  FILES_MATCHING PATTERN "*.md" PATTERN "man" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${document_folder}" COMPONENT doc
  PATTERN "__pycache__" EXCLUDE)
