#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"

// The classic ticket lock: all waiters spin on `grant` for as long as it takes (Dice, Capacitors, Figure 1(b)).
class alignas(128) TicketLock {
 public:
  explicit TicketLock(WaitingPolicy) {}

  void lock() {
    const auto ticket = ticket_.fetch_add(1);
    while (grant_.load() != ticket) pauseCpu();
  }

  // Only the owner writes it, so this is no read-modify-write operation.
  void unlock() { grant_.store(grant_.load(std::memory_order_relaxed) + 1); }

 private:
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint64_t> grant_{0};
};
