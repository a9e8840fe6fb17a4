# What `cmake --install` gives besides the program: the library, its headers, pkg-config, the CMake package, man pages.
include(CMakePackageConfigHelpers)

install(TARGETS libskep EXPORT SkepTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/skep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# Both packages are found relative to themselves, so that a prefix can be moved.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Skep)
install(EXPORT SkepTargets NAMESPACE Skep:: DESTINATION ${package_dir})
configure_package_config_file(cmake/SkepConfig.cmake.in ${CMAKE_BINARY_DIR}/SkepConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SkepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SkepConfig.cmake ${CMAKE_BINARY_DIR}/SkepConfigVersion.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH SKEP_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/skep.pc.in ${CMAKE_BINARY_DIR}/skep.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/skep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB man_pages CONFIGURE_DEPENDS docs/man/*.1)
if(man_pages)
  install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# DuckDB's library, where it is not the system's: beside ours, in a folder of its own that the engine looks into.
if(SKEP_DUCKDB_INSTALL)
  install(PROGRAMS ${SKEP_DUCKDB_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/skep)
  get_filename_component(duckdb_dir ${SKEP_DUCKDB_INCLUDE_DIR} DIRECTORY)
  install(FILES ${duckdb_dir}/LICENSE DESTINATION ${CMAKE_INSTALL_LIBDIR}/skep RENAME LICENSE.duckdb OPTIONAL)
endif()

# A systemd unit: `systemctl enable skep-compact@...`.
install(FILES docs/systemd/skep-compact@.service DESTINATION lib/systemd/system)
