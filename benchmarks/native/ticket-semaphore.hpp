#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"
#include "waiting.hpp"

// The paper's Listing 1: all wait on `grant`. One that sleeps on it does so on its lower half, which comes first in memory.
template <typename Waiting>
class alignas(128) TicketSemaphore {
 public:
  static constexpr bool kCounts = true;

  TicketSemaphore(std::int64_t permits, WaitingPolicy) : grant_(permits) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    const Waited waited;
    for (;;) {
      const auto seen = grant_.load();
      if (seen > ticket) return;
      Waiting::await(&grant_, static_cast<int>(seen), ticket - seen);
    }
  }

  void release() {
    const auto admitted = grant_.fetch_add(1);
    // Listing 1 has no sleepers to wake, so the look at `ticket` is Listing 2's.
    if (Waiting::kSleeps && ticket_.load() > admitted) Waiting::wakeAll(&grant_);
  }

 private:
  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
};
