// Addresses in the arena's memory. Each is a type of its own, so TypeScript refuses an element where a line is
// expected. They are plain numbers when the code runs: in JavaScript the types are gone, and in WebAssembly each is an
// i32 (../../kernel/build.mjs).
//
// A step that returns an address gives it its type. Otherwise, one of the functions below does.

/** A line of a block: a semaphore or a lock, at which agents wait. */
export type LineAddress = i32 & { readonly line: true };
/** A block of the heap. Its first line is at the same address. */
export type BlockAddress = LineAddress & { readonly block: true };
/** The part of a record for operations in flight: the record itself, or its KIND_AREA. */
export type AreaAddress = i32 & { readonly area: true };
/** An agent record. */
export type AgentAddress = AreaAddress & { readonly agent: true };
/** An element, or the stub in an agent record. */
export type ElementAddress = i32 & { readonly element: true };
/** An entry of a ledger. 0 means that the line keeps no record. */
export type EntryAddress = 0 | (i32 & { readonly entry: true });
/** The head of a chain of elements. */
export type ChainAddress = i32 & { readonly chain: true };
/** A bucket of the waiting array. It begins with the head of its chain of semaphore waiters. */
export type BucketAddress = ChainAddress & { readonly bucket: true };
/** The target of a notification: an element, or a word that agents sleep on, minus GATE. */
export type NotifyAddress = ElementAddress | (i32 & { readonly word: true });

export function asLine(address: i32): LineAddress {
  return address as LineAddress;
}

export function asBlock(address: i32): BlockAddress {
  return address as BlockAddress;
}

export function asArea(address: i32): AreaAddress {
  return address as AreaAddress;
}

export function asAgent(address: i32): AgentAddress {
  return address as AgentAddress;
}

export function asElement(address: i32): ElementAddress {
  return address as ElementAddress;
}

export function asEntry(address: i32): EntryAddress {
  return address as EntryAddress;
}

export function asChain(address: i32): ChainAddress {
  return address as ChainAddress;
}

export function asBucket(address: i32): BucketAddress {
  return address as BucketAddress;
}

export function asNotify(address: i32): NotifyAddress {
  return address as NotifyAddress;
}
