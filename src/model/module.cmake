# The accelerator table is data; the build turns it into code.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(table "${CMAKE_SOURCE_DIR}/data/accelerators.csv")
set(products "${CMAKE_SOURCE_DIR}/data/accelerator_products.csv")
set(script "${CMAKE_SOURCE_DIR}/scripts/accelerator_table.py")
set(generated "${CMAKE_BINARY_DIR}/generated/accelerators_data.cpp")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/generated")
add_custom_command(OUTPUT "${generated}"
  COMMAND Python3::Interpreter "${script}" "${table}" "${products}" "${generated}"
  DEPENDS "${table}" "${products}" "${script}"
  COMMENT "Accelerator table")
target_sources(fairlead_model PRIVATE "${generated}")
