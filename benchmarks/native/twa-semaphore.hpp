#pragma once

#include <atomic>
#include <cstdint>

#include "clock.hpp"
#include "wait-chain.hpp"

// The semaphore with a waiting array of chains, the algorithm that the library implements in JavaScript.
//
// Two counters: `ticket` numbers the acquires, `grant` says which tickets are admitted. A waiter within
// `longTermThreshold` of its turn spins on `grant` before it parks in a chain; everybody else parks at once. Each
// release wakes the chain of the ticket that it admits, and early the chain of the one that thereby comes near. Without
// a spin budget or a threshold that no waiter is ever near.
class alignas(128) TwaSemaphore {
 public:
  static constexpr bool kCounts = true;

  TwaSemaphore(std::int64_t permits, WaitingPolicy policy)
      : grant_(permits), spinNanos_(policy.spinNanos), near_(policy.spinNanos > 0 ? policy.longTermThreshold : 0) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    const Waited waited;
    wait(ticket);
  }

  void release() {
    const auto admitted = grant_.fetch_add(1);
    const auto issued = ticket_.load();
    if (issued <= admitted) return;
    WaitChain::of(this, admitted).signalAll();
    const auto next = admitted + near_;
    if (next != admitted && issued > next) WaitChain::of(this, next).signalAll();
  }

 private:
  void wait(std::int64_t ticket) {
    const auto due = [this, ticket] { return grant_.load() > ticket; };
    for (;;) {
      const bool near = grant_.load() + near_ > ticket;
      if (near && spinUntil(spinNanos_, due)) return;
      // A far waiter that comes near while it pushes must look again, or it would sleep through its early wake-up.
      const auto wakeAt = near ? ticket : ticket - near_;
      WaitChain::of(this, ticket).await([this, wakeAt] { return grant_.load() > wakeAt; });
      if (due()) return;
    }
  }

  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
  const std::int64_t spinNanos_;
  const std::int64_t near_;
};
