// What this thread holds.
//
// Blocking calls are nested most of the time, so their holds are a stack. Its elements are used again, because a free
// lock must not cost an allocation. The holds of async calls end in any order, and are found by their primitives.

import type { Place } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import type { HeldChain } from './held-chain.ts';
import type { Subject } from './subject.ts';

export type CallStack = readonly Place[];

/** An edge that counts only if the hold ends by a release of this thread. */
export interface Later {
  /** What was asked for. */
  readonly subject: Subject;
  commit(): void;
}

export class Hold {
  primitive: UsedPrimitive;
  subject: Subject;
  slot: string;
  /** The callers of the call that acquired it, if they were kept. */
  stack: CallStack | undefined;
  /** The call that acquired it together with other locks. */
  together: object | undefined = undefined;
  /** The chain of which it is the last, if that was seen. */
  chain: HeldChain | undefined = undefined;
  later: Later[] | undefined = undefined;
  isOpen = true;

  constructor(primitive: UsedPrimitive, subject: Subject, slot: string, stack: CallStack | undefined) {
    this.primitive = primitive;
    this.subject = subject;
    this.slot = slot;
    this.stack = stack;
  }

  is(primitive: UsedPrimitive, slot: string): boolean {
    return this.primitive === primitive && this.slot === slot;
  }
}

/** The chain that ends with the hold at that depth, if it was seen. */
export function chainOf(hold: Hold, depth: number): HeldChain | undefined {
  return depth === 1 ? hold.subject.alone : hold.chain;
}

export class HeldByThread {
  readonly #stack: Hold[] = [];
  readonly #async = new Map<UsedPrimitive, Hold[]>();
  /** The number of holds on the stack. */
  depth = 0;
  /** The number of the holds of async calls. */
  asyncCount = 0;
  /** The number of both. */
  #count = 0;
  /**
   * What the thread holds, if that is all: a lock without a key, whose stack was not kept. It is in no element, so that
   * a free lock costs one field. `settle` makes an element of it.
   */
  single: UsedPrimitive | undefined = undefined;

  /** Whether the thread holds nothing. */
  get isEmpty(): boolean {
    return this.single === undefined && this.#count === 0;
  }

  /** Moves `single` to the stack. Call it before everything but `isEmpty`. */
  settle(): void {
    const { single } = this;
    if (single === undefined) return;
    this.single = undefined;
    this.push(single, single.subject as Subject, '', undefined);
  }

  /** The hold that began last, of those on the stack. */
  get top(): Hold | undefined {
    return this.depth === 0 ? undefined : this.#stack[this.depth - 1];
  }

  push(primitive: UsedPrimitive, subject: Subject, slot: string, stack: CallStack | undefined): Hold {
    const { depth } = this;
    this.depth = depth + 1;
    this.#count += 1;
    const old = this.#stack[depth];
    if (old === undefined) {
      const hold = new Hold(primitive, subject, slot, stack);
      this.#stack.push(hold);
      return hold;
    }
    old.primitive = primitive;
    old.subject = subject;
    old.slot = slot;
    old.stack = stack;
    return old;
  }

  /** Adds a hold that makes a chain that was seen, of a lock without a key, whose stack was not kept. */
  pushSeen(primitive: UsedPrimitive, chain: HeldChain): void {
    this.settle();
    const hold = this.push(primitive, primitive.subject as Subject, '', undefined);
    hold.together = undefined;
    hold.chain = chain;
  }

  /** Returns the chain of the holds and the subject, if it was seen, and if no async call holds something. */
  seenAfter(subject: Subject): HeldChain | undefined {
    if (this.asyncCount !== 0) return undefined;
    const { single, top } = this;
    if (single !== undefined) return (single.subject as Subject).alone.after(subject);
    return top === undefined ? undefined : chainOf(top, this.depth)?.after(subject);
  }

  /** Ends the hold that began last. */
  pop(): void {
    this.depth -= 1;
    this.#count -= 1;
  }

  addAsync(hold: Hold): void {
    this.asyncCount += 1;
    this.#count += 1;
    const others = this.#async.get(hold.primitive);
    if (others === undefined) this.#async.set(hold.primitive, [hold]);
    else others.push(hold);
  }

  /** Ends the hold of a primitive that began last. Returns it, or `undefined` if there is none. */
  end(primitive: UsedPrimitive, slot: string): Hold | undefined {
    return this.#endOnStack(primitive, slot) ?? this.#endAsync(primitive, slot);
  }

  /** Whether the thread holds it. */
  has(primitive: UsedPrimitive): boolean {
    if (this.#async.has(primitive)) return true;
    for (let at = 0; at < this.depth; at++) if (this.#stack[at]?.primitive === primitive) return true;
    return false;
  }

  /** Returns all holds, those of blocking calls first. */
  all(): Hold[] {
    const holds = this.#stack.slice(0, this.depth);
    for (const others of this.#async.values()) holds.push(...others);
    return holds;
  }

  clear(): void {
    this.#stack.length = 0;
    this.#async.clear();
    this.single = undefined;
    this.depth = 0;
    this.asyncCount = 0;
    this.#count = 0;
  }

  #endOnStack(primitive: UsedPrimitive, slot: string): Hold | undefined {
    for (let at = this.depth - 1; at >= 0; at--) {
      const hold = this.#stack[at];
      if (hold?.is(primitive, slot) !== true) continue;
      this.#stack.splice(at, 1);
      // The later holds recorded chains that contain this hold. Those chains are no longer valid.
      for (let after = at; after < this.depth - 1; after++) {
        const other = this.#stack[after];
        if (other !== undefined) other.chain = undefined;
      }
      this.pop();
      return hold;
    }
    return undefined;
  }

  #endAsync(primitive: UsedPrimitive, slot: string): Hold | undefined {
    const holds = this.#async.get(primitive);
    const at = holds?.findIndex((hold) => hold.slot === slot) ?? -1;
    if (holds === undefined || at < 0) return undefined;
    const [hold] = holds.splice(at, 1);
    if (holds.length === 0) this.#async.delete(primitive);
    this.asyncCount -= 1;
    this.#count -= 1;
    if (hold !== undefined) hold.isOpen = false;
    return hold;
  }
}
