# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What build systems look for in the folder of HIP: programs in bin/, and CMake packages in lib/cmake/. It is the same when it is built
# and when it is installed, but for the way from bin/ to the command.
include(CMakePackageConfigHelpers)
set(hip_root "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${HEDDLE_HIP_SUBDIR}")

# hip-clang++ is the same program: CMake's language HIP refuses compilers that are called hipcc.
function(heddle_hip_programs folder way)
  set(HEDDLE_FROM_HIP_PROGRAMS "${way}")
  foreach(program hipcc hip-clang++)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/hip/hipcc.in" "${folder}/${program}" @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endfunction()

file(RELATIVE_PATH way "${hip_root}/bin" "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
heddle_hip_programs("${hip_root}/bin" "${way}")
file(RELATIVE_PATH way "/prefix/${CMAKE_INSTALL_LIBDIR}/${HEDDLE_HIP_SUBDIR}/bin" "/prefix/${CMAKE_INSTALL_BINDIR}")
heddle_hip_programs("${CMAKE_BINARY_DIR}/hip-installed" "${way}")

foreach(package hip hip-lang)
  set(folder "${hip_root}/lib/cmake/${package}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/hip/${package}-config.cmake" "${folder}/${package}-config.cmake" COPYONLY)
  write_basic_package_version_file("${folder}/${package}-config-version.cmake" VERSION 5.2.0 COMPATIBILITY AnyNewerVersion)
endforeach()

# Build systems that know a folder of ROCm link with -L FOLDER/lib -lamdhip64. The library itself is beside those of HSA, which it finds there.
# It has hipRTC, too, which ROCm also has as a library of its own.
foreach(library amdhip64 hiprtc)
  file(CREATE_LINK "../../../libamdhip64.so.5" "${hip_root}/lib/lib${library}.so" SYMBOLIC)
endforeach()

install(PROGRAMS "${CMAKE_BINARY_DIR}/hip-installed/hipcc" "${CMAKE_BINARY_DIR}/hip-installed/hip-clang++"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_HIP_SUBDIR}/bin" COMPONENT compiler)
install(DIRECTORY "${hip_root}/lib" DESTINATION "${CMAKE_INSTALL_LIBDIR}/${HEDDLE_HIP_SUBDIR}" COMPONENT compiler)
