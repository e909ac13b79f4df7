#include <string>
#include <vector>

#include "cli/program.hpp"

int main(int argc, char** argv) { return cli::run_program(std::vector<std::string>(argv, argv + argc)); }
