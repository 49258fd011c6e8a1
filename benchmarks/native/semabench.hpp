#pragma once

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "threads.hpp"
#include "wait-chain.hpp"
#include "xorshift.hpp"

// Each thread: acquire, one step of a shared generator, release, one step of its own generator.

namespace semabench {

enum Phase { kGather, kWarmUp, kCount, kStop };

struct alignas(128) Result {
  std::uint64_t passes = 0;
  std::uint64_t counted = 0;
  std::uint32_t privateState = 0;
  WaitCounts counts;
};

struct alignas(128) Shared {
  std::atomic<int> phase{kGather};
  std::atomic<int> ready{0};
  alignas(128) std::uint32_t state = 1;
};

template <typename Semaphore>
Result work(Semaphore& semaphore, Shared& shared, std::uint32_t seed) {
  Result result;
  result.privateState = seed;
  const auto pass = [&] {
    semaphore.acquire();
    shared.state = xorshift(shared.state);
    semaphore.release();
    result.privateState = xorshift(result.privateState);
    ++result.passes;
  };
  pass();
  shared.ready.fetch_add(1);
  while (shared.phase.load() == kGather) sleepNanos(500'000);
  while (shared.phase.load(std::memory_order_relaxed) == kWarmUp) pass();
  const auto passesBefore = result.passes;
  const auto before = waitCounts;
  while (shared.phase.load(std::memory_order_relaxed) == kCount) pass();
  result.counted = result.passes - passesBefore;
  result.counts.waits = waitCounts.waits - before.waits;
  result.counts.wakeUps = waitCounts.wakeUps - before.wakeUps;
  result.counts.wakeCalls = waitCounts.wakeCalls - before.wakeCalls;
  return result;
}

// Replays the shared generator: its state is right only when no two threads were ever inside together.
inline bool excluded(const Shared& shared, std::uint64_t passes) {
  std::uint32_t x = 1;
  for (std::uint64_t i = 0; i < passes; ++i) x = xorshift(x);
  return x == shared.state;
}

inline void print(const char* lock, bool counted, const std::vector<Result>& results, const Shared& shared, double seconds,
                  double cpu) {
  std::uint64_t passes = 0, pairs = 0, waits = 0, wakeUps = 0, wakeCalls = 0;
  auto least = results.front().counted, most = least;
  for (const auto& r : results) {
    passes += r.passes;
    pairs += r.counted;
    waits += r.counts.waits;
    wakeUps += r.counts.wakeUps;
    wakeCalls += r.counts.wakeCalls;
    least = std::min(least, r.counted);
    most = std::max(most, r.counted);
  }
  const auto usage = usageNow();
  std::printf("{\"lock\":\"%s\",\"workers\":%zu,\"seconds\":%.4f,\"pairs\":%lu,\"pairsPerSecond\":%.1f,\"fairness\":%.4f,", lock,
              results.size(), seconds, pairs, static_cast<double>(pairs) / seconds,
              most == 0 ? 0.0 : static_cast<double>(least) / static_cast<double>(most));
  if (counted) std::printf("\"waits\":%lu,\"wakeUps\":%lu,\"wakeCalls\":%lu,", waits, wakeUps, wakeCalls);
  else std::printf("\"wakeUps\":null,");
  std::printf("\"cpuSeconds\":%.4f,\"maxRssKiB\":%ld,\"excluded\":%s,\"counts\":[", cpu, usage.ru_maxrss,
              excluded(shared, passes) ? "true" : "false");
  for (std::size_t i = 0; i < results.size(); ++i) std::printf("%s%lu", i == 0 ? "" : ",", results[i].counted);
  std::printf("]}\n");
}

template <typename Semaphore>
void run(const char* lock, unsigned workers, double seconds, double warmUpSeconds, WaitingPolicy policy) {
  const auto semaphore = std::make_unique<Semaphore>(1, policy);
  const auto shared = std::make_unique<Shared>();
  std::vector<Result> results(workers);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] { results[i] = work(*semaphore, *shared, i + 2); });
  }
  while (shared->ready.load() < static_cast<int>(workers)) sleepNanos(500'000);
  shared->phase.store(kWarmUp);
  sleepSeconds(warmUpSeconds);
  const auto before = usageNow();
  const auto start = nowNanos();
  shared->phase.store(kCount);
  sleepSeconds(seconds);
  shared->phase.store(kStop);
  const auto elapsed = static_cast<double>(nowNanos() - start) * 1e-9;
  const auto after = usageNow();
  for (auto& thread : threads) thread.join();
  print(lock, Semaphore::kCounts, results, *shared, elapsed, cpuSeconds(after) - cpuSeconds(before));
}

}  // namespace semabench
