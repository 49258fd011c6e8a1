#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"

// The paper's Listing 3 as it is printed: without a threshold, and with a post that always exchanges the chain of the ticket that it
// admits. (`TwaSemaphore` is the same algorithm with the library's waiting policy.)
template <typename Waiting>
class alignas(128) ChainSemaphore {
 public:
  static constexpr bool kCounts = true;

  ChainSemaphore(std::int64_t permits, WaitingPolicy) : grant_(permits) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    const auto due = [this, ticket] { return grant_.load() > ticket; };
    if (due()) return;
    const Waited waited;
    auto& chain = WaitChain::of(this, ticket);
    while (!due()) chain.template await<Waiting>(due);
  }

  void release() { WaitChain::of(this, grant_.fetch_add(1)).signalImpolitely(); }

 private:
  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
};
