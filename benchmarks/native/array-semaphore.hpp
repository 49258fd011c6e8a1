#pragma once

#include <atomic>
#include <cstdint>

#include "ticket-semaphore.hpp"

// The paper's Listing 2, with its hash and its table: a waiter far from its turn waits for its bucket to change. Near is the
// next in line only, and with sleeping no waiter, as the paper says for waiters that must not spin.
template <typename Waiting>
class alignas(128) ArraySemaphore {
 public:
  static constexpr bool kCounts = true;

  ArraySemaphore(std::int64_t permits, WaitingPolicy) : grant_(permits) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    const Waited waited;
    auto& bucket = bucketOf(ticket);
    auto seen = bucket.load();
    for (;;) {
      const auto distance = grant_.load() - ticket;
      if (distance > 0) return;
      if (distance + kNear > 0) {
        pauseCpu();
        continue;
      }
      const auto before = seen;
      while ((seen = bucket.load()) == before) Waiting::await(&bucket, before);
    }
  }

  void release() {
    const auto next = grant_.fetch_add(1) + kNear;
    if (next >= ticket_.load()) return;
    auto& bucket = bucketOf(next);
    bucket.fetch_add(1);
    Waiting::wakeAll(&bucket);
  }

 private:
  static constexpr std::int64_t kNear = Waiting::kSleeps ? 0 : 1;

  std::atomic<int>& bucketOf(std::int64_t ticket) {
    static constexpr std::uint64_t kBuckets = 2048;
    struct alignas(8) Bucket {
      std::atomic<int> updates{0};
    };
    alignas(4096) static Bucket buckets[kBuckets];
    return buckets[(reinterpret_cast<std::uintptr_t>(this) + static_cast<std::uint64_t>(ticket) * 17) & (kBuckets - 1)].updates;
  }

  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
};
