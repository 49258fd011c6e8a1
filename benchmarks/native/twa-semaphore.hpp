#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"

// The semaphore with a waiting array of chains, the algorithm that the library implements in JavaScript.
//
// Two counters: `ticket` numbers the acquires, `grant` says which tickets are admitted. A waiter within
// `longTermThreshold` of its turn spins on `grant`; everybody else waits in a chain. Each release wakes the chain of
// the ticket that it admits, and early the chain of the one that thereby comes within the threshold.
class alignas(128) TwaSemaphore {
 public:
  TwaSemaphore(std::int64_t permits, WaitingPolicy policy) : grant_(permits), policy_(policy) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    ++waitCounts.waits;
    wait(ticket);
  }

  void release() {
    const auto admitted = grant_.fetch_add(1);
    const auto issued = ticket_.load();
    if (issued <= admitted) return;
    WaitChain::of(this, admitted).signalAll();
    const auto next = admitted + policy_.longTermThreshold;
    if (next != admitted && issued > next) WaitChain::of(this, next).signalAll();
  }

 private:
  void wait(std::int64_t ticket) {
    const auto due = [this, ticket] { return grant_.load() > ticket; };
    const bool spinOnGate = policy_.longTermThreshold == 0;
    for (;;) {
      const bool near = grant_.load() + policy_.longTermThreshold > ticket;
      if (near && spinUntil(policy_.spinNanos, due)) return;
      // A far waiter that comes near while it pushes must look again, or it would sleep through its early wake-up.
      const auto wakeAt = near ? ticket : ticket - policy_.longTermThreshold;
      WaitChain::of(this, ticket).await(spinOnGate ? policy_.spinNanos : 0,
                                        [this, wakeAt] { return grant_.load() > wakeAt; });
      if (due()) return;
    }
  }

  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
  const WaitingPolicy policy_;
};
