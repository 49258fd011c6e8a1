// The library's semaphore and locks in C++, measured by the same work as the JavaScript ones. Prints one JSON line.
//
//   sluice-native uncontended PAIRS            --lock SEMAPHORE
//   sluice-native semabench THREADS SECONDS    --lock SEMAPHORE [--warm-up SECONDS] [--patience SECONDS]
//   sluice-native mutexbench THREADS SECONDS   --lock tts|pthread|capacitor|ticket|ticket-capacitor [--warm-up SECONDS] [--record SECONDS]
//                                              [--private-step]
//   sluice-native barrier THREADS SECONDS      [--warm-up SECONDS]
//   all take --spin-micros N and --threshold N, which the listings as the paper has them do not heed
//   SEMAPHORE: twa, twa-futex, posix; Listings 1 to 5: ticket, array, chain, monitor, location, each with -spin or -futex; ticket-proportional

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "array-semaphore.hpp"
#include "barrierbench.hpp"
#include "capacitor-lock.hpp"
#include "chain-semaphore.hpp"
#include "location-semaphore.hpp"
#include "monitor-semaphore.hpp"
#include "mutexbench.hpp"
#include "posix-semaphore.hpp"
#include "semabench.hpp"
#include "ticket-lock.hpp"
#include "ticket-semaphore.hpp"
#include "tts-lock.hpp"
#include "twa-semaphore.hpp"
#include "uncontended.hpp"

namespace {

struct Arguments {
  std::vector<std::string> positional;
  WaitingPolicy policy;
  std::string lock;
  double warmUpSeconds = 0.2;
  double recordSeconds = 0.2;
  double patienceSeconds = 20;
  bool privateStep = false;

  // The first positional one is the benchmark; the others are numbers.
  bool asksFor(const char* benchmark, std::size_t numbers) const {
    return positional.size() == numbers + 1 && positional[0] == benchmark && number(1) > 0;
  }
  double number(std::size_t index) const { return std::atof(positional[index].c_str()); }
};

Arguments parse(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool hasValue = i + 1 < argc;
    if (word == "--lock" && hasValue) result.lock = argv[++i];
    else if (word == "--spin-micros" && hasValue) result.policy.spinNanos = static_cast<std::int64_t>(std::atof(argv[++i]) * 1000);
    else if (word == "--threshold" && hasValue) result.policy.longTermThreshold = std::atol(argv[++i]);
    else if (word == "--warm-up" && hasValue) result.warmUpSeconds = std::atof(argv[++i]);
    else if (word == "--record" && hasValue) result.recordSeconds = std::atof(argv[++i]);
    else if (word == "--patience" && hasValue) result.patienceSeconds = std::atof(argv[++i]);
    else if (word == "--private-step") result.privateStep = true;
    else result.positional.push_back(word);
  }
  return result;
}

// The default action of SIGALRM ends the process.
void watchdog(double seconds) { alarm(static_cast<unsigned>(seconds) + 30); }

// Everybody parks at once.
constexpr WaitingPolicy kNeverSpins{0, 0};

template <typename Semaphore>
bool runWith(const Arguments& arguments, WaitingPolicy policy) {
  const auto* name = arguments.lock.c_str();
  if (arguments.asksFor("uncontended", 1)) {
    uncontended<Semaphore>(name, static_cast<long>(arguments.number(1)), policy);
    return true;
  }
  if (!arguments.asksFor("semabench", 2)) return false;
  const auto seconds = arguments.number(2);
  const auto workers = static_cast<unsigned>(arguments.number(1));
  const auto warmUpSeconds = arguments.warmUpSeconds;
  const auto patienceSeconds = arguments.patienceSeconds;
  // Threads that spin in line, more of them than cores, take seconds for a round: one at the beginning and one at the end.
  watchdog(seconds + warmUpSeconds + 3 * patienceSeconds);
  semabench::run<Semaphore>(name, {workers, seconds, warmUpSeconds, patienceSeconds}, policy);
  return true;
}

template <template <typename> typename>
struct OneOf {};

bool runSemaphore(const Arguments& arguments) {
  const auto& lock = arguments.lock;
  const auto policy = arguments.policy;
  if (lock == "twa") return runWith<TwaSemaphore>(arguments, policy);
  if (lock == "twa-futex") return runWith<TwaSemaphore>(arguments, kNeverSpins);
  if (lock == "posix") return runWith<PosixSemaphore>(arguments, policy);
  if (lock == "ticket-proportional") return runWith<TicketSemaphore<Proportional>>(arguments, policy);
  const auto runs = [&]<template <typename> typename Listing>(const char* name, OneOf<Listing>) {
    if (lock == std::string(name) + "-spin") return runWith<Listing<Spinning>>(arguments, policy);
    return lock == std::string(name) + "-futex" && runWith<Listing<Sleeping>>(arguments, policy);
  };
  return runs("ticket", OneOf<TicketSemaphore>{}) || runs("array", OneOf<ArraySemaphore>{}) ||
         runs("chain", OneOf<ChainSemaphore>{}) || runs("monitor", OneOf<MonitorSemaphore>{}) ||
         runs("location", OneOf<LocationSemaphore>{});
}

template <typename Lock>
void runMutexbench(const Arguments& arguments) {
  const auto& [words, policy, lock, warmUpSeconds, recordSeconds, patienceSeconds, privateStep] = arguments;
  const auto seconds = arguments.number(2);
  const auto workers = static_cast<unsigned>(arguments.number(1));
  watchdog(seconds + warmUpSeconds + recordSeconds);
  mutexbench::run<Lock>(lock.c_str(), {workers, seconds, warmUpSeconds, recordSeconds, privateStep}, policy);
}

void runBarrier(const Arguments& arguments) {
  watchdog(arguments.number(2) + arguments.warmUpSeconds);
  barrierbench::run(static_cast<unsigned>(arguments.number(1)), arguments.number(2), arguments.warmUpSeconds);
}

bool runBenchmark(const Arguments& arguments) {
  if (arguments.asksFor("barrier", 2)) {
    runBarrier(arguments);
    return true;
  }
  if (!arguments.asksFor("mutexbench", 2)) return runSemaphore(arguments);
  const auto& lock = arguments.lock;
  if (lock == "tts") runMutexbench<TtsLock>(arguments);
  else if (lock == "pthread") runMutexbench<PthreadLock>(arguments);
  else if (lock == "capacitor") runMutexbench<CapacitorLock<TtsLock>>(arguments);
  else if (lock == "ticket") runMutexbench<TicketLock>(arguments);
  else if (lock == "ticket-capacitor") runMutexbench<CapacitorLock<TicketLock>>(arguments);
  else return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (runBenchmark(parse(argc, argv))) return 0;
  std::fprintf(stderr, "usage: sluice-native uncontended PAIRS | semabench THREADS SECONDS | mutexbench THREADS SECONDS | barrier THREADS SECONDS\n");
  return 2;
}
