// The library's semaphore in C++, measured by the same work as the JavaScript one. Prints one JSON line.
//
//   sluice-native uncontended PAIRS           [--lock twa|posix]
//   sluice-native semabench THREADS SECONDS   [--lock twa|posix] [--warm-up SECONDS]
//   both take --spin-micros N and --threshold N

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "posix-semaphore.hpp"
#include "semabench.hpp"
#include "twa-semaphore.hpp"
#include "uncontended.hpp"

namespace {

struct Arguments {
  std::vector<std::string> positional;
  WaitingPolicy policy;
  bool posix = false;
  double warmUpSeconds = 0.2;
};

Arguments parse(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool hasValue = i + 1 < argc;
    if (word == "--lock" && hasValue) result.posix = std::strcmp(argv[++i], "posix") == 0;
    else if (word == "--spin-micros" && hasValue) result.policy.spinNanos = static_cast<std::int64_t>(std::atof(argv[++i]) * 1000);
    else if (word == "--threshold" && hasValue) result.policy.longTermThreshold = std::atol(argv[++i]);
    else if (word == "--warm-up" && hasValue) result.warmUpSeconds = std::atof(argv[++i]);
    else result.positional.push_back(word);
  }
  return result;
}

template <typename Semaphore>
int runWith(const char* lock, const Arguments& arguments) {
  const auto& words = arguments.positional;
  if (words.size() == 2 && words[0] == "uncontended" && std::atol(words[1].c_str()) > 0) {
    uncontended<Semaphore>(lock, std::atol(words[1].c_str()), arguments.policy);
    return 0;
  }
  if (words.size() == 3 && words[0] == "semabench" && std::atol(words[1].c_str()) > 0) {
    const double seconds = std::atof(words[2].c_str());
    // A watchdog: the default action of SIGALRM ends the process.
    alarm(static_cast<unsigned>(seconds + arguments.warmUpSeconds) + 30);
    semabench::run<Semaphore>(lock, static_cast<unsigned>(std::atol(words[1].c_str())), seconds, arguments.warmUpSeconds, arguments.policy);
    return 0;
  }
  std::fprintf(stderr, "usage: sluice-native uncontended PAIRS | semabench THREADS SECONDS [--lock twa|posix]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  return arguments.posix ? runWith<PosixSemaphore>("posix", arguments) : runWith<TwaSemaphore>("twa", arguments);
}
