# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the headers, the runtime under both of its names, the toolchain, the plugins, and the pkg-config and CMake files of
# two packages: hsa-runtime64 for clients of the runtime, and hsail for clients of the toolchain. The component `runtime` is
# what programs with finished code objects need, and what agent drivers are built and run with; `driver-conformance` is the
# suite for agent drivers.
include(CMakePackageConfigHelpers)

set(package "hsa-runtime64")
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/${package}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hsa" "${PROJECT_SOURCE_DIR}/include/hsam"
  "${PROJECT_SOURCE_DIR}/include/hsail" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT runtime
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# The runtime looks for the finalizer in its own folder and for the agents in a folder below, so an installation can be moved.
install(TARGETS hsa-runtime64 EXPORT ${package}-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS heddle_finalizer EXPORT hsail-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(agent heddle-agent-cpu heddle-agent-interpreter heddle-agent-null)
  if(TARGET ${agent})  # the cpu agent executes x86-64 code and exists there only
    install(TARGETS ${agent} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_AGENT_SUBDIR}" COMPONENT runtime)
  endif()
endforeach()

# find_package(hsa-runtime64) gives hsa-runtime64::hsa-runtime64. Clients ask for the version of the HSA runtime
# specification.
set(HSA_VERSION 1.2)
install(EXPORT ${package}-targets NAMESPACE ${package}:: DESTINATION "${package_folder}" COMPONENT runtime)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/hsa-runtime64-config.cmake.in"
  "${CMAKE_BINARY_DIR}/${package}-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/${package}-config-version.cmake" VERSION ${HSA_VERSION}
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/${package}-config.cmake" "${CMAKE_BINARY_DIR}/${package}-config-version.cmake"
  DESTINATION "${package_folder}" COMPONENT runtime)

# find_package(hsail) gives hsail::hsail. Clients ask for the version of HSAIL.
set(HSAIL_VERSION 1.2)
set(hsail_folder "${CMAKE_INSTALL_LIBDIR}/cmake/hsail")
install(EXPORT hsail-targets NAMESPACE hsail:: DESTINATION "${hsail_folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/hsail-config.cmake.in" "${CMAKE_BINARY_DIR}/hsail-config.cmake"
  INSTALL_DESTINATION "${hsail_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/hsail-config-version.cmake" VERSION ${HSAIL_VERSION}
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/hsail-config.cmake" "${CMAKE_BINARY_DIR}/hsail-config-version.cmake"
  DESTINATION "${hsail_folder}")

file(RELATIVE_PATH HSA_PREFIX_FROM_PC "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" HSA_PREFIX_FROM_PC "${HSA_PREFIX_FROM_PC}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/hsa-runtime64.pc.in" "${CMAKE_BINARY_DIR}/hsa-runtime64.pc" @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/hsail.pc.in" "${CMAKE_BINARY_DIR}/hsail.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/hsa-runtime64.pc" "${CMAKE_BINARY_DIR}/hsail.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
