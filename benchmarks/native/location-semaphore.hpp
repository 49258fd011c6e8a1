#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"

// The paper's Listing 5: calls of `await` alternate between pushing the thread's one element and waiting at its gate. An element may stay
// behind in a chain, so the links are words, and the agent that wakes a chain walks it.
class WaitSlot {
 public:
  static WaitSlot& of(const void* owner, std::uint64_t ticket) {
    static constexpr std::uint64_t kSlots = 4096;
    alignas(4096) static WaitSlot slots[kSlots];
    return slots[(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(owner)) + ticket * 17) & (kSlots - 1)];
  }

  void wakeAll() { poke(top_.exchange(nullptr)); }

  template <typename Waiting>
  void await() {
    auto& mine = own<Waiting>;
    if (mine.where == this) {
      mine.element.template await<Waiting>();
      mine.where = nullptr;
      return;
    }
    if (mine.where != nullptr) mine.where->template extricate<Waiting>(mine);
    mine.where = this;
    mine.element.gate.store(WaitElement::kWaiting);
    // As the listing does: the first attempt guesses that the slot is empty.
    WaitElement* below = nullptr;
    do mine.element.below.store(below);
    while (!top_.compare_exchange_weak(below, &mine.element));
  }

 private:
  template <typename Waiting>
  struct Own {
    WaitSlot* where = nullptr;
    WaitElementInChain element;

    ~Own() {
      if (where != nullptr) where->extricate<Waiting>(*this);
    }
  };

  // The assertion on the gate is the other way round in the listing.
  static void poke(WaitElement* element) {
    while (element != nullptr) {
      auto* const below = static_cast<WaitElementInChain*>(element)->below.load();
      WaitElement::signal(element);
      element = below;
    }
  }

  template <typename Waiting>
  void extricate(Own<Waiting>& mine) {
    if (!mine.element.signalled()) wakeAll();
    mine.element.template await<Waiting>();
    mine.where = nullptr;
  }

  template <typename Waiting>
  static inline thread_local Own<Waiting> own{};

  std::atomic<WaitElement*> top_{nullptr};
};

template <typename Waiting>
class alignas(128) LocationSemaphore {
 public:
  static constexpr bool kCounts = true;

  LocationSemaphore(std::int64_t permits, WaitingPolicy) : grant_(permits) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    const Waited waited;
    auto& slot = WaitSlot::of(this, ticket);
    while (grant_.load() <= ticket) slot.template await<Waiting>();
  }

  void release() {
    const auto admitted = grant_.fetch_add(1);
    if (admitted >= ticket_.load()) return;
    WaitSlot::of(this, admitted).wakeAll();
  }

 private:
  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
};
