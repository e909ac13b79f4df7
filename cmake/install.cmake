include(GNUInstallDirs)

# Called by these names, the program takes the command line of SQLIOSIM.COM, DiskSpd or SQLIO.
set(other_names sqliosim diskspd sqlio)
foreach(name ${other_names})
  add_custom_command(TARGET ioproof POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink ioproof ${name}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
endforeach()

# The program itself writes manual pages and completions, from the tables that also feed --help.
set(generated ${CMAKE_BINARY_DIR}/generated/share)
set(generated_files "")
foreach(what ioproof.1 ioproof.conf.5 bash zsh fish)
  add_custom_command(OUTPUT ${generated}/${what}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND ioproof --generate ${what} > ${generated}/${what}
    DEPENDS ioproof VERBATIM)
  list(APPEND generated_files ${generated}/${what})
endforeach()
add_custom_target(manual ALL DEPENDS ${generated_files})

install(TARGETS ioproof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${generated}/ioproof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(name ${other_names})
  file(WRITE ${CMAKE_BINARY_DIR}/generated/${name}.1 ".so man1/ioproof.1\n")
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_BINARY_DIR}/generated/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
install(FILES ${generated}/ioproof.conf.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${generated}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ioproof)
install(FILES ${generated}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sqliosim)
install(FILES ${generated}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _ioproof)
install(FILES ${generated}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ioproof.fish)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/ARCHITECTURE.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json")
# What the documents tell users to copy.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/deploy/kubernetes ${CMAKE_SOURCE_DIR}/deploy/slurm ${CMAKE_SOURCE_DIR}/deploy/systemd
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/deploy)
# Also where the documents link to them.
foreach(folder ${CMAKE_INSTALL_DATADIR}/ioproof ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/samples DESTINATION ${folder})
endforeach()

# cpack -G DEB: the package depends on the libraries that the program was linked with.
set(CPACK_PACKAGE_NAME ioproof)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The ioproof developers <ioproof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Proves that storage gives back what it was given, with SQL Server's I/O")
set(CPACK_PACKAGE_DESCRIPTION
"A native SQLIOSim: performs SQL Server's reads and writes on test files of its own, verifies every page that comes back,
and says in plain words whether this storage can be trusted with SQL Server. Takes SQLIOSim's configuration files and command line.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
