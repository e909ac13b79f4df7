# A page of results is a single file that can be read offline, so its scripts and styles are compiled in.
find_file(IOPROOF_CHART_JS NAMES chart.min.js Chart.min.js chart.umd.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH DOC "Chart.js, from libjs-chart.js" REQUIRED)

function(ioproof_embed layer header)
  foreach(entry ${ARGN})
    string(REPLACE "=" ";" entry ${entry})
    list(GET entry 0 name)
    list(GET entry 1 input)
    set(output ${CMAKE_BINARY_DIR}/generated/embedded/${name}.cpp)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name} -DLAYER=${layer} -DHEADER=${header}
        -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
      DEPENDS ${input} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
    set_source_files_properties(${output} PROPERTIES SKIP_LINTING ON SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(ioproof_${layer} PRIVATE ${output})
  endforeach()
endfunction()

ioproof_embed(reports reports/html/embedded.hpp
  kChartScript=${IOPROOF_CHART_JS}
  kStyle=${CMAKE_SOURCE_DIR}/reports/html/style.css
  kCommonScript=${CMAKE_SOURCE_DIR}/reports/html/common.js
  kReportScript=${CMAKE_SOURCE_DIR}/reports/html/report.js
  kCompareScript=${CMAKE_SOURCE_DIR}/reports/html/compare.js
  kCompareMeasuredScript=${CMAKE_SOURCE_DIR}/reports/html/compare_measured.js
  kMeasurementScript=${CMAKE_SOURCE_DIR}/reports/html/measurement.js
  kMergedScript=${CMAKE_SOURCE_DIR}/reports/html/merged.js
  kPowertestScript=${CMAKE_SOURCE_DIR}/reports/html/powertest.js
  kSweepScript=${CMAKE_SOURCE_DIR}/reports/html/sweep.js
  kErrorLogStyle=${CMAKE_SOURCE_DIR}/reports/html/ErrorLog.xslt
  kResultsSchema=${CMAKE_SOURCE_DIR}/docs/results.schema.json)

# Profiles are samples that are built into the program.
ioproof_embed(config config/embedded_profiles.hpp
  kProfileSql2005=${CMAKE_SOURCE_DIR}/samples/sql2005.toml
  kProfileOltp=${CMAKE_SOURCE_DIR}/samples/sql2022-oltp.toml
  kProfileWarehouse=${CMAKE_SOURCE_DIR}/samples/sql2022-warehouse.toml
  kProfileMixed=${CMAKE_SOURCE_DIR}/samples/sql2022-mixed.toml)
