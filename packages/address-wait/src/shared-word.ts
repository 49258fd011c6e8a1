// A word of an arena. Agents change it and wait on it.

import {
  HandleError,
  Region,
  type Arena,
  type PrimitiveHandle,
  type RegionHandle,
  type RegionOptions,
} from '@sluice/core';
import { BLOCK_LINE, KIND_REGION } from '@sluice/core/format';
import { checkInteger, INSPECT, refusePosting, consoleText, show, wrongInstance } from '@sluice/core/calls';
import {
  checkNotFreed,
  checkOpened,
  findPrimitive,
  titleOf,
  type BlockRef,
  type AgentContext,
  type BucketSpot,
} from '@sluice/core/internal';

export interface SharedWordHandle {
  readonly kind: 'sluice.shared-word';
  readonly region: RegionHandle;
  readonly index: number;
}

const WORD_BYTES = 4;
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** Returns the address of a word. Throws `MisuseError` if it was freed. */
export let addressOfWord: (word: SharedWord) => number;

/** Returns the bucket of a word. Computes it once. Throws `MisuseError` if the word was freed. */
export let bucketOfWord: (word: SharedWord, find: (ref: BlockRef, address: number) => BucketSpot) => BucketSpot;

/**
 * A 32-bit integer in an arena that several threads read, change and wait on (an atomic). Every access is sequentially
 * consistent.
 *
 * ```ts run
 * import { SharedWord } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(1);
 * console.log(word.add(2), word.load()); // 1 3
 * console.log(SharedWord.from(word.handle).compareExchange(3, 7), word.load()); // 3 7
 * ```
 */
export class SharedWord {
  /** The handle to post to another thread. Pass it to `SharedWord.from` there. */
  readonly handle: SharedWordHandle;
  readonly #ref: BlockRef;
  readonly #region: Region;
  /** The address of the word: a byte offset in the arena's memory. */
  readonly #address: number;
  #spot: BucketSpot | undefined;

  private constructor(region: Region, ref: BlockRef, index: number) {
    refusePosting(this);
    checkOpened(ref, 'SharedWord');
    this.#region = region;
    this.#ref = ref;
    this.#address = ref.address + BLOCK_LINE + index * WORD_BYTES;
    this.handle = Object.freeze({ kind: 'sluice.shared-word', region: region.handle, index });
  }

  /**
   * Creates a word on a cache line of its own.
   *
   * @throws {RangeError} If `value` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(value = 0, options: RegionOptions = {}): SharedWord {
    checkInteger('value', value, LEAST, MOST);
    const word = SharedWord.at(Region.create(WORD_BYTES, options), 0);
    word.store(value);
    return word;
  }

  /**
   * Returns the word `index` of a region's `int32`.
   *
   * @throws {TypeError} If an argument has the wrong type.
   * @throws {RangeError} If the region has no such word.
   */
  static at(region: Region, index: number): SharedWord {
    if (!(region instanceof Region)) throw wrongInstance('The region', 'Region', 'sluice.region', region);
    checkInteger('index', index, 0, Math.floor(region.byteLength / WORD_BYTES) - 1);
    return new SharedWord(region, findPrimitive(region.handle, 'sluice.region', KIND_REGION), index);
  }

  /**
   * Returns the word of a handle.
   *
   * @throws {HandleError} If the handle is not that of a live word.
   * @throws {RangeError} If the handle has an index that is out of range.
   */
  static from(handle: SharedWordHandle): SharedWord {
    return SharedWord.at(Region.from(regionOf(handle)), handle.index);
  }

  /** Returns the title, such as "SharedWord 'state'". */
  toString(): string {
    return titleOf('SharedWord', this.#ref);
  }

  /** The arena that contains the word. */
  get arena(): Arena {
    return this.#ref.arena;
  }

  /**
   * Returns the value.
   *
   * @throws {MisuseError} If the word was freed. The same holds for all calls on a word.
   */
  load(): number {
    return this.#words.load32(this.#address);
  }

  /**
   * Stores `value`.
   *
   * @throws {TypeError} If `value` is not a number. The same holds for the methods below.
   * @throws {RangeError} If `value` is not a 32-bit integer.
   */
  store(value: number): void {
    checkInteger('value', value, LEAST, MOST);
    this.#words.store32(this.#address, value);
  }

  /** Adds `delta`, wrapping at 32 bits. Returns the previous value. */
  add(delta: number): number {
    checkInteger('delta', delta, LEAST, MOST);
    return this.#words.add32(this.#address, delta);
  }

  /** Stores `value`. Returns the previous value. */
  exchange(value: number): number {
    checkInteger('value', value, LEAST, MOST);
    return this.#words.exchange32(this.#address, value);
  }

  /** Stores `value` if the word equals `expected` (compare-and-swap). Returns the previous value. */
  compareExchange(expected: number, value: number): number {
    checkInteger('expected', expected, LEAST, MOST);
    checkInteger('value', value, LEAST, MOST);
    return this.#words.cas32(this.#address, expected, value);
  }

  /** Frees the region that contains the word, with everything else in it. No agent may still wait on the word. */
  free(): void {
    this.#region.free();
  }

  [INSPECT](): string {
    return consoleText('SharedWord', () => ({ name: this.#region.name, value: this.load() }));
  }

  /** Checked on every use: another primitive may use the words of a freed region. */
  get #words(): AgentContext['words'] {
    checkNotFreed(this.#ref, 'The word');
    return this.#ref.context.words;
  }

  static {
    addressOfWord = (word) => {
      checkNotFreed(word.#ref, 'The word');
      return word.#address;
    };
    bucketOfWord = (word, find) => {
      checkNotFreed(word.#ref, 'The word');
      return (word.#spot ??= find(word.#ref, word.#address));
    };
  }
}

function regionOf(handle: SharedWordHandle): PrimitiveHandle<'sluice.region'> & RegionHandle {
  const given = handle as
    | { readonly kind?: unknown; readonly region?: unknown; readonly handle?: unknown }
    | null
    | undefined;
  if (given?.kind === 'sluice.shared-word') return given.region as RegionHandle;
  const what = typeof given?.handle === 'object' ? 'an instance: pass its `handle`' : show(given?.kind ?? handle);
  throw new HandleError(`The handle must be that of a SharedWord: received ${what}`);
}
