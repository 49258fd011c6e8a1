// The seq-lock's algorithm, without its waiting: a value in two copies, and a sequence that tells which copy is whole.
//
// The order of a reader's accesses follows Hans Boehm, "Can Seqlocks Get Along With Programming Language Memory
// Models?" (MSPC 2012). The two copies follow the latch of Linux (seqcount_latch_t). Our additions: the sequence is odd
// only while a copy that no new reader uses is written, so a reader fails only if it is two writes behind; and a writer
// that dies leaves nothing to repair.
//
//   VALUE_SEQUENCE    the whole version is in     another copy is being written
//   4k                the first copy              no
//   4k + 1            the first copy              the second; or its writer died
//   4k + 2            the second copy             no
//   4k + 3            the second copy             the first; or its writer died
//
//   From ▶ To                     By                                       When
//   even ▶ + 1                    the owner of the mutex, `replace`        before it changes the first word of the
//                                                                          other copy
//   odd ▶ + 1                     the owner, `replace`                     after it has changed the last word
//
// INVARIANTS
//
//   1. While VALUE_SEQUENCE is 2v or 2v + 1, the copy of version v is whole, and no agent changes it. Only the owner of
//      the mutex writes, and it writes to the other copy. A death at any moment keeps this true: the next owner finds
//      2v + 1 and writes version v + 1 anew.
//   2. So if a reader found version v, and after its last load finds that VALUE_SEQUENCE has not reached 2v + 3, its
//      copy is exactly version v.
//   3. ERA increases between any two passes of VALUE_SEQUENCE over 2^31 or 2^32. So if a reader finds the same ERA
//      before its first and after its last load, VALUE_SEQUENCE has advanced by less than 2^32, and the difference that
//      it computes is exact.
//   4. A reader loads ERA, then reads version v. If it later finds v in VALUE_SEQUENCE, and after that the same ERA, it
//      still has the newest value.
//
// MEMORY ORDER. All accesses to these words, including those of the value, are atomic, and each word has one width. So
// there is no data race, and by the memory model of ECMAScript every execution is an interleaving of these accesses.
// The invariants need no other argument. Plain loads of the value would be cheaper and wrong. Such a load may take
// effect after the load of VALUE_SEQUENCE that follows it. The language allows this because nothing orders the two, and
// an ARM processor allows it because that load is an LDAR. docs/memory-model.md has the details.
//
// Steps of the kernel load the value (kernel/load.ts), up to 64 words at a time, to the scratch of the agent. From
// there the agent copies them.

import { AGENT_SCRATCH, BLOCK_TAG, TAKEN, type AgentAddress } from '@sluice/core/format';
import { ownRun, storeRun, type AgentContext, type Words } from '@sluice/core/internal';
import { copyFew, MANY } from './copy-few.ts';
import { SEQ_KERNEL, type SeqSteps } from './kernel.ts';
import { COPIES, ERA, PART, REUSED, VALUE_SEQUENCE } from './kernel/layout.ts';

/** A result of `tryLoad` in place of a version. */
export const NONE = -1;

/** The position of the value behind the data's first words. */
export interface Extent {
  /** The number of words of the value. */
  readonly length: number;
  /** The distance between the two copies in bytes. */
  readonly stride: number;
  /** The number of words that one step loads. Default: as many as it can. */
  readonly part?: number;
}

export class Sequence {
  readonly #words: Words;
  readonly #agent: AgentAddress;
  /** The scratch, with as many words as a step loads of the value. `undefined` in a model. */
  readonly #scratch: Int32Array | undefined;
  readonly #block: { readonly block: number; readonly tag: number };
  readonly #tagAt: number;
  readonly #data: number;
  readonly #length: number;
  readonly #stride: number;
  readonly #part: number;
  readonly #sequence: number;
  readonly #era: number;
  readonly #loadShort: SeqSteps['loadShortSeqLock'];
  readonly #loadPart: SeqSteps['loadSeqLockPart'];
  readonly #changedSince: SeqSteps['seqLockChangedSince'];

  /**
   * `block` has the tag that the block keeps until it is freed, or until this agent leaves. `data` is the address of
   * the seq-lock's data.
   */
  constructor(
    context: AgentContext,
    block: { readonly block: number; readonly tag: number },
    data: number,
    { length, stride, part = PART }: Extent,
  ) {
    const { loadShortSeqLock, loadSeqLockPart, seqLockChangedSince } = context.addKernel(SEQ_KERNEL);
    this.#words = context.words;
    this.#agent = context.agent;
    this.#scratch = ownRun(context.words, context.agent + AGENT_SCRATCH, Math.min(length, part));
    this.#block = block;
    this.#tagAt = block.block + BLOCK_TAG;
    this.#data = data;
    this.#length = length;
    this.#stride = stride;
    this.#part = part;
    this.#sequence = data + VALUE_SEQUENCE;
    this.#era = data + ERA;
    this.#loadShort = loadShortSeqLock;
    this.#loadPart = loadSeqLockPart;
    this.#changedSince = seqLockChangedSince;
  }

  /**
   * Copies the value and returns its version. Returns NONE if two writes were faster, or if the block was freed; then
   * `into` may hold anything.
   */
  tryLoad(into: Int32Array): number {
    const length = this.#length;
    if (length > this.#part) return this.#tryLoadLong(into);
    const version = this.#loadShort(this.#tagAt, this.#block.tag, this.#data, this.#stride, length, this.#agent);
    if (version < 0) return NONE;
    const scratch = this.#scratch;
    if (scratch !== undefined && length < MANY) copyFew(scratch, into, length);
    else this.#take(into, 0, length);
    return version;
  }

  /**
   * Whether the newest value is of this version. `era` is the era before that version was read. Also false if the block
   * was freed.
   */
  isNewest(version: number, era: number): boolean {
    return this.#changedSince(this.#tagAt, this.#block.tag, this.#data, version, era) === 0;
  }

  /** Copies the value, for the owner of the mutex: no other agent writes. */
  load(into: Int32Array): void {
    this.#copy(this.#words.load32(this.#sequence), into);
  }

  #tryLoadLong(into: Int32Array): number {
    const words = this.#words;
    const era = words.load32(this.#era);
    const version = words.load32(this.#sequence) & -2;
    if (!this.#copy(version, into)) return NONE;
    // Load these after all words of the value. Pairs with the first store of `replace`. The tag comes last: a block
    // that still has it was not freed before.
    const passed = (words.load32(this.#sequence) - version) >>> 0;
    return passed < REUSED && words.load32(this.#era) === era && words.load32(this.#tagAt) === this.#block.tag
      ? version >>> 1
      : NONE;
  }

  /** Copies one of the copies in its present state. Returns false if the block was freed, or if this agent has left. */
  #copy(sequence: number, into: Int32Array): boolean {
    const from = this.#copyOf(sequence);
    const length = this.#length;
    const most = this.#part;
    for (let at = 0; at < length; at += most) {
      const part = Math.min(most, length - at);
      if (this.#loadPart(this.#tagAt, this.#block.tag, from + 4 * at, part, this.#agent) !== TAKEN) return false;
      this.#take(into, at, part);
    }
    return true;
  }

  /** Copies words of the scratch to the words of `into` from `at` on. */
  #take(into: Int32Array, at: number, count: number): void {
    const scratch = this.#scratch;
    if (scratch === undefined)
      for (let n = 0; n < count; n++) into[at + n] = this.#words.get32(this.#agent + AGENT_SCRATCH + 4 * n);
    else into.set(count === scratch.length ? scratch : scratch.subarray(0, count), at);
  }

  /** Makes `from` the value, for the owner of the mutex. The owner may die at any of these stores. */
  replace(from: Int32Array): void {
    const words = this.#words;
    const found = words.load32(this.#sequence);
    const version = found & -2;
    const next = (version + 2) | 0;
    // Store this before the first store to the copy: a reader that still uses the copy must see that it is late. If the
    // sequence is odd already, the last owner died before the end.
    if (found === version) words.store32(this.#sequence, version + 1);
    storeRun(words, this.#copyOf(next), from);
    // Increase ERA before the store, so that no death omits it. If the owner dies in between, the next owner increases
    // it once more, which is harmless.
    if (next << 1 === 0) words.add32(this.#era, 1);
    words.store32(this.#sequence, next);
  }

  /** The length of the value in words. */
  get length(): number {
    return this.#length;
  }

  /** The version: it changes with each write, and is 0 before the first. */
  get version(): number {
    return this.#words.load32(this.#sequence) >>> 1;
  }

  /** The era: it increases between any two versions that have the same number. */
  get era(): number {
    return this.#words.load32(this.#era);
  }

  /** Returns the address of the copy for `sequence`, which may be even or odd. */
  #copyOf(sequence: number): number {
    return this.#data + COPIES + ((sequence & 2) === 0 ? 0 : this.#stride);
  }
}
