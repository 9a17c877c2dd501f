# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CPack runs this script when the files of all packages lie in their folders. It adds what Debian's policy asks of every package,
# compresses manual pages, and removes what depends on the machine or on the time of the build.
set(names "runtime=heddle-runtime;finalizer=heddle-finalizer;compiler=heddle-compiler;hip=heddle-hip;tools=heddle;dev=heddle-dev;doc=heddle-doc")
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  file(STRINGS "${CPACK_HEDDLE_DEBIAN_FOLDER}/release-date" epoch REGEX "^[0-9]+$")
  set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
# The C locale gives English names of days and months.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C date -u -R -d "@$ENV{SOURCE_DATE_EPOCH}" OUTPUT_VARIABLE date
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

foreach(pair ${names})
  string(REGEX REPLACE "=.*" "" component "${pair}")
  string(REGEX REPLACE ".*=" "" package "${pair}")
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  if(NOT IS_DIRECTORY "${root}")
    continue()
  endif()
  set(folder "${root}/usr/share/doc/${package}")
  file(COPY "${CPACK_HEDDLE_DEBIAN_FOLDER}/copyright" DESTINATION "${folder}" NO_SOURCE_PERMISSIONS)
  file(WRITE "${folder}/changelog" "heddle (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * CHANGELOG.md in the package heddle-doc lists the changes.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB manual "${root}/usr/share/man/man*/*")
  execute_process(COMMAND gzip -9nf "${folder}/changelog" ${manual} COMMAND_ERROR_IS_FATAL ANY)
  # The license is in the copyright file, and the loader finds libraries in Debian's folders without being told.
  file(REMOVE "${folder}/LICENSE" "${root}/usr/share/doc/heddle/LICENSE")
  file(GLOB programs "${root}/usr/bin/*" "${root}/usr/lib/*/libheddle-compiler.so.*" "${root}/usr/lib/*/libamdhip64.so.*")
  foreach(program ${programs})
    file(RPATH_REMOVE FILE "${program}")
  endforeach()
  file(GLOB overrides "${CPACK_HEDDLE_DEBIAN_FOLDER}/${package}.lintian-overrides")
  if(overrides)
    file(MAKE_DIRECTORY "${root}/usr/share/lintian/overrides")
    configure_file("${overrides}" "${root}/usr/share/lintian/overrides/${package}" COPYONLY)
  endif()
  execute_process(COMMAND find "${root}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
