#pragma once

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bypass.hpp"
#include "clock.hpp"
#include "threads.hpp"

// Each thread: lock, one step of a shared Mersenne Twister, unlock, and perhaps one step of its own. The same phases as in
// `src/workers/mutexbench.mjs`.

namespace mutexbench {

enum Phase { kGather, kWarmUp, kCount, kPause, kRecord, kStop };

constexpr std::uint32_t kRecordLength = 1u << 21;

struct Point {
  unsigned workers;
  double seconds;
  double warmUpSeconds;
  double recordSeconds;
  bool privateStep;
};

struct alignas(128) Count {
  std::atomic<std::uint64_t> passes{0};

  // Only its own thread writes it.
  void add() { passes.store(passes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

struct alignas(128) Shared {
  std::atomic<int> phase{kGather};
  alignas(128) std::atomic<unsigned> ready{0};
  alignas(128) std::atomic<std::uint32_t> arrivals{0};
  alignas(128) std::atomic<std::uint32_t> admissions{0};
  alignas(128) std::mt19937 generator;
  std::vector<std::uint32_t> record;
  std::vector<Count> counts;
};

// Not optimized away, although no code reads the number.
inline void step(std::mt19937& generator) {
  const auto number = generator();
  asm volatile("" : : "r"(number));
}

inline void gather(Shared& shared, int phase) {
  shared.ready.fetch_add(1);
  while (shared.phase.load() == phase) sleepNanos(200'000);
}

template <typename Lock>
void work(Lock& lock, Shared& shared, unsigned worker, bool privateStep) {
  std::mt19937 own(worker);
  const auto pass = [&](auto critical) {
    lock.lock();
    critical();
    step(shared.generator);
    lock.unlock();
    shared.counts[worker].add();
    if (privateStep) step(own);
  };
  const auto phase = [&] { return shared.phase.load(std::memory_order_relaxed); };
  const auto nothing = [] {};
  pass(nothing);
  gather(shared, kGather);
  do pass(nothing);
  while (phase() < kPause);
  gather(shared, kPause);
  while (phase() == kRecord && shared.admissions.load(std::memory_order_relaxed) < kRecordLength) {
    const auto arrival = shared.arrivals.fetch_add(1);
    pass([&] {
      const auto admitted = shared.admissions.load(std::memory_order_relaxed);
      shared.record[admitted] = arrival;
      shared.admissions.store(admitted + 1, std::memory_order_relaxed);
    });
  }
}

inline std::vector<std::uint64_t> read(const std::vector<Count>& counts) {
  std::vector<std::uint64_t> result;
  for (const auto& count : counts) result.push_back(count.passes.load(std::memory_order_relaxed));
  return result;
}

// Replays the shared generator: its state is right only when no two threads were ever inside together.
inline bool excluded(const Shared& shared) {
  std::mt19937 replayed;
  unsigned long long steps = 0;
  for (const auto passes : read(shared.counts)) steps += passes;
  replayed.discard(steps);
  return replayed == shared.generator;
}

inline void print(const char* lock, const Shared& shared, const std::vector<std::uint64_t>& counts, double seconds, double cpu, long sleeps) {
  std::uint64_t operations = 0;
  for (const auto count : counts) operations += count;
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const auto fairness = *most == 0 ? 0.0 : static_cast<double>(*least) / static_cast<double>(*most);
  std::printf("{\"lock\":\"%s\",\"seconds\":%.4f,\"cpuSeconds\":%.4f,\"sleeps\":%ld,", lock, seconds, cpu, sleeps);
  std::printf("\"operations\":%lu,\"operationsPerSecond\":%.1f,", operations, static_cast<double>(operations) / seconds);
  std::printf("\"fairness\":%.6f,\"maxRssKiB\":%ld,\"excluded\":%s,\"bypass\":", fairness, usageNow().ru_maxrss,
              excluded(shared) ? "true" : "false");
  const auto bypass = summarizeBypass({shared.record.begin(), shared.record.begin() + shared.admissions.load()});
  if (bypass.admissions == 0) std::printf("null");
  else std::printf("{\"admissions\":%zu,\"worst\":%u,\"p999\":%u}", bypass.admissions, bypass.worst, bypass.p999);
  std::printf(",\"counts\":[");
  for (std::size_t i = 0; i < counts.size(); ++i) std::printf("%s%lu", i == 0 ? "" : ",", counts[i]);
  std::printf("]}\n");
}

template <typename Lock>
void run(const char* name, const Point& point, WaitingPolicy policy) {
  const auto lock = std::make_unique<Lock>(policy);
  const auto shared = std::make_unique<Shared>();
  shared->record.resize(kRecordLength + point.workers);
  shared->counts = std::vector<Count>(point.workers);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < point.workers; ++i) {
    threads.emplace_back([&, i] { work(*lock, *shared, i, point.privateStep); });
  }
  const auto gathered = [&](unsigned times) {
    while (shared->ready.load() < times * point.workers) sleepNanos(200'000);
  };
  gathered(1);
  shared->phase.store(kWarmUp);
  sleepSeconds(point.warmUpSeconds);
  shared->phase.store(kCount);
  const auto usage = usageNow();
  const auto before = read(shared->counts);
  const auto start = nowNanos();
  sleepSeconds(point.seconds);
  auto counts = read(shared->counts);
  const auto elapsed = static_cast<double>(nowNanos() - start) * 1e-9;
  const auto used = usageNow();
  const auto cpu = cpuSeconds(used) - cpuSeconds(usage);
  shared->phase.store(kPause);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] -= before[i];
  gathered(2);
  if (point.recordSeconds > 0) shared->phase.store(kRecord);
  sleepSeconds(point.recordSeconds);
  shared->phase.store(kStop);
  for (auto& thread : threads) thread.join();
  print(name, *shared, counts, elapsed, cpu, used.ru_nvcsw - usage.ru_nvcsw);
}

}  // namespace mutexbench
