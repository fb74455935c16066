// fairlead-supervisor: what `fairlead supervise` does, without the libraries of daemon and client, so that it loads in
// a tenth of the time. The daemon starts it from its own folder and does without it where it is missing.
#include <fairlead/engine/local.hpp>

#include <cstring>

int main(int argc, char** argv) {
  const int skipped = argc >= 2 && std::strcmp(argv[1], "supervise") == 0 ? 2 : 1;
  return fairlead::engine::superviseMain({argv + skipped, argv + argc});
}
