#pragma once

#include <atomic>
#include <cstdint>

#include "waiting.hpp"

// Waiting chains: a fixed table of lock-free stacks of waiting threads, addressed by a key. Only two operations touch
// a stack, push-one and detach-all. The links are implicit: a waiter learns the address below its own from its push,
// and passes the wake-up on to it.

// How long a thread spins, and how near to the head of the line it must be to spin on the semaphore itself.
struct WaitingPolicy {
  std::int64_t spinNanos = 20'000;
  std::int64_t longTermThreshold = 1;
};

// 128 bytes, because the prefetcher fetches cache lines in pairs.
struct alignas(128) WaitElement {
  static constexpr int kWaiting = 0;
  static constexpr int kSignalled = 1;
  static constexpr int kParked = 2;

  std::atomic<int> gate{kWaiting};

  bool signalled() const { return gate.load() == kSignalled; }

  // Until it is signalled. "Park" in the listings; with Spinning nothing but pauses, as the paper offers where no park is.
  template <typename Waiting>
  void await() {
    if constexpr (Waiting::kSleeps) {
      park();
    } else {
      while (!signalled()) pauseCpu();
    }
  }

  void park() {
    int expected = kWaiting;
    if (!gate.compare_exchange_strong(expected, kParked)) return;
    while (!signalled()) countedWait(&gate, kParked);
  }

  // Once the gate is open the element may be gone, so only its address is used afterwards. A wake that reaches a later
  // element at the same address is harmless: that waiter looks at its gate again.
  static void signal(WaitElement* element) {
    if (element == nullptr) return;
    if (element->gate.exchange(kSignalled) != kParked) return;
    countedWake(element, 1);
  }
};

// With the element below, for chains that the waking thread walks.
struct WaitElementInChain : WaitElement {
  std::atomic<WaitElement*> below{nullptr};
};

class WaitChain {
 public:
  // The address and the ticket together choose the chain; 17 keeps neighbouring tickets on different cache lines.
  static WaitChain& of(const void* owner, std::uint64_t ticket) {
    static constexpr std::uint64_t kChains = 4096;
    alignas(4096) static WaitChain chains[kChains];
    const auto key = reinterpret_cast<std::uintptr_t>(owner) + ticket * 17;
    return chains[key & (kChains - 1)];
  }

  // The load first, so that an empty chain's cache line stays shared.
  void signalAll() {
    if (top_.load() != nullptr) WaitElement::signal(top_.exchange(nullptr));
  }

  // Without the load: AddressSignal of the listings.
  void signalImpolitely() { WaitElement::signal(top_.exchange(nullptr)); }

  // Parks until another thread signals this chain, or returns at once when `due` holds after the push.
  template <typename Waiting = Sleeping, typename Due>
  void await(Due due) {
    WaitElement element;
    WaitElement* const below = top_.exchange(&element);
    // Between the push and the wait: the releaser writes the condition and then reads the chain, the waiter writes the
    // chain and then reads the condition, so at least one of them sees the other.
    if (due()) {
      leave<Waiting>(element, below);
      return;
    }
    element.await<Waiting>();
    WaitElement::signal(below);
  }

 private:
  // The element must be off the chain before its frame ends: undo the push, or flush the chain and wait for the signal.
  template <typename Waiting>
  void leave(WaitElement& element, WaitElement* below) {
    WaitElement* top = &element;
    if (top_.compare_exchange_strong(top, below)) return;
    WaitElement* const above = (top == nullptr || element.signalled()) ? nullptr : top_.exchange(nullptr);
    WaitElement::signal(below);
    WaitElement::signal(above);
    element.await<Waiting>();
  }

  std::atomic<WaitElement*> top_{nullptr};
};
