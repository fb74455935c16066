// The test binary is also the supervisor of the attempts it starts: `engine_tests supervise FOLDER`.
#include <fairlead/engine/local.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "supervise") == 0)
    return fairlead::engine::superviseMain(std::vector<std::string>(argv + 2, argv + argc));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
