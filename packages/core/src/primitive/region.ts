// Plain shared bytes in an arena, for the data that primitives protect.

import { checkInteger, checkOptions } from '../api/check.ts';
import { BLOCK_LINE, BLOCK_SIZE, KIND_REGION } from '../kernel/layout.ts';
import type { Arena } from '../arena/arena.ts';
import type { PrimitiveHandle } from '../memory/handle.ts';
import { chosenArena, createPrimitive, findPrimitive, handleTo } from './block.ts';
import { Primitive } from './primitive.ts';
import type { BlockRef } from '../arena/block-ref.ts';

export type RegionHandle = PrimitiveHandle<'sluice.region'> & { readonly byteLength: number };

export interface RegionOptions {
  readonly arena?: Arena | undefined;
  /** Shown by `arena.inspect()`; at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

const NAMING = { className: 'Region', what: 'The region' };
const REGION_OPTIONS: readonly (keyof RegionOptions)[] = ['arena', 'name'];

/**
 * Shared bytes. Sluice does not guard them: give them to a lock's or a semaphore's holder to read and write.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 *
 * const tally = Region.create(8);
 * tally.int32[0] = 7;
 * console.log(Region.from(tally.handle).int32[0]); // 7
 * ```
 */
export class Region extends Primitive {
  /** The handle to post to another thread. Pass it to `Region.from` there. */
  readonly handle: RegionHandle;

  private constructor(ref: BlockRef, byteLength: number) {
    super(ref, NAMING);
    this.handle = Object.freeze({ ...handleTo('sluice.region', ref), byteLength });
  }

  /**
   * Allocates `byteLength` bytes, all zero, at an address that is a multiple of 128.
   *
   * @throws {RangeError} If the size or an option is out of range.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(byteLength: number, options: RegionOptions = {}): Region {
    checkInteger('byteLength', byteLength, 1, 2 ** 30);
    checkOptions(options, REGION_OPTIONS);
    const arena = chosenArena(options.arena);
    const ref = createPrimitive(arena, KIND_REGION, BLOCK_LINE + byteLength, options.name, () => undefined);
    return new Region(ref, byteLength);
  }

  /**
   * Returns the region of a handle.
   *
   * @throws {HandleError} If the handle does not refer to a live region.
   */
  static from(handle: RegionHandle): Region {
    const ref = findPrimitive(handle, 'sluice.region', KIND_REGION);
    const most = ref.context.words.get32(ref.address + BLOCK_SIZE) - BLOCK_LINE;
    return new Region(ref, checkInteger('handle.byteLength', handle.byteLength, 1, most));
  }

  get byteLength(): number {
    return this.handle.byteLength;
  }

  /**
   * Returns a new view of the bytes at each access, so keep it. The view stays valid until `free`, even if the arena
   * grows.
   */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#buffer(), this.#start, this.byteLength);
  }

  /** The bytes as 32-bit words. A new view at each access, as for `bytes`. */
  get int32(): Int32Array {
    return new Int32Array(this.#buffer(), this.#start, this.byteLength >> 2);
  }

  /** The bytes as doubles. A new view at each access, as for `bytes`. */
  get float64(): Float64Array {
    return new Float64Array(this.#buffer(), this.#start, this.byteLength >> 3);
  }

  /** Frees the memory. Do not use earlier views any more: another primitive may reuse the memory. */
  override free(): void {
    this.freeBlock();
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { byteLength: this.byteLength };
  }

  get #start(): number {
    return this.ref.address + BLOCK_LINE;
  }

  #buffer(): ArrayBufferLike {
    this.checkThere();
    const { memory } = this.ref.arena.handle;
    memory.grow(0);
    return memory.buffer;
  }
}
