// Handles: plain objects that cross threads and lead back to a primitive.

import { show } from '../api/check.ts';
import { HandleError, MisuseError } from '../api/errors.ts';
import {
  BLOCK_ERA,
  BLOCK_KIND,
  BLOCK_LINE,
  BUCKETS,
  HEADER_HEAP,
  HEADER_ID,
  HEADER_MAGIC,
  HEADER_TOP,
  HEADER_VERSION,
  LAYOUT_VERSION,
  MAGIC,
} from '../kernel/layout.ts';
import { isMemory, isSharedBuffer } from '../platform/realm.ts';
import type { KernelModules } from '../kernel/kernel.ts';
import type { Words } from '../kernel/words.ts';
import { isStart } from './blocks.ts';
import { isInUse, PAGE_BYTES } from './heap.ts';
import { eraOf, tagOf } from './tags.ts';

/**
 * A shared `WebAssembly.Memory`, described without DOM types, because Node does not declare the name WebAssembly
 * everywhere.
 */
export interface SharedMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/** A handle to an arena: pass it to `Arena.from` in any thread that received it. */
export interface ArenaHandle {
  readonly kind: 'sluice.arena';
  readonly layout: number;
  readonly arena: string;
  readonly memory: SharedMemory;
  /** The compiled kernel, so that a thread that opens the handle need not compile it. Optional. */
  readonly modules?: KernelModules | undefined;
}

/** A handle to a primitive: pass it to its class's `from` in any thread that received it. */
export interface PrimitiveHandle<Kind extends string> {
  readonly kind: Kind;
  readonly layout: number;
  readonly arena: string;
  readonly memory: SharedMemory;
  readonly address: number;
  readonly tag: number;
  /** The compiled kernel, so that a thread that opens the handle need not compile it. Optional. */
  readonly modules?: KernelModules | undefined;
}

type Unchecked = { readonly [Field in keyof PrimitiveHandle<string>]?: unknown } & { readonly handle?: unknown };

/** Returns the arena id that a memory contains. */
export function arenaId(words: Words): string {
  return BigInt.asUintN(64, words.load64(HEADER_ID)).toString(16).padStart(16, '0');
}

/**
 * Throws `MisuseError` if the platform has no WebAssembly or hides SharedArrayBuffer, because no arena is possible
 * then.
 */
export function requireSharedMemory(): void {
  if (typeof WebAssembly !== 'object' || typeof WebAssembly.Memory !== 'function') {
    throw new MisuseError(
      'An arena is a WebAssembly.Memory, also with jsEngine, and WebAssembly is not available. Nothing was made. ' +
        'Run Node.js without --jitless or --no-expose-wasm; in a browser, allow WebAssembly (lockdown modes turn it off).',
    );
  }
  if (typeof SharedArrayBuffer === 'function') return;
  throw new MisuseError(
    'SharedArrayBuffer is not available. A page gets it when it is served with the headers ' +
      '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp".',
  );
}

/** Checks a handle's own fields and the arena in its memory. */
export function checkHandle(kind: string, handle: unknown): WebAssembly.Memory {
  requireSharedMemory();
  if (typeof handle !== 'object' || handle === null) fail(kind, `received ${show(handle)}`);
  const given = handle as Unchecked;
  if (typeof given.handle === 'object') fail(kind, 'received an instance: pass its `handle`');
  if (given.kind !== kind) fail(kind, `received kind ${show(given.kind)}`);
  if (given.layout !== LAYOUT_VERSION) {
    fail(
      kind,
      `its layout version is ${show(given.layout)}, this package's is ${LAYOUT_VERSION}: load one version of Sluice`,
    );
  }
  const { memory } = given;
  const shared = isMemory(memory) && isSharedBuffer(memory.buffer);
  if (!shared) fail(kind, `its memory is not shared WebAssembly memory but ${show(memory)}`);
  return memory as WebAssembly.Memory;
}

/** Checks that the memory of a handle holds the arena it names. */
export function checkArena(
  kind: string,
  handle: { readonly arena: unknown },
  words: Words,
  memory: SharedMemory,
): void {
  if (memory.buffer.byteLength < BUCKETS || words.load32(HEADER_MAGIC) !== MAGIC)
    fail(kind, 'its memory holds no arena');
  // Keep this order: another agent may grow the arena meanwhile, and the memory grows before its contents do.
  const top = words.load32(HEADER_TOP);
  const bytes = memory.grow(0) * PAGE_BYTES;
  if (bytes < top) fail(kind, `its memory is truncated to ${bytes} bytes`);
  const version = words.load32(HEADER_VERSION);
  if (version !== LAYOUT_VERSION) fail(kind, `its memory has layout version ${version}`);
  const id = arenaId(words);
  if (handle.arena !== id) fail(kind, `it names arena ${show(handle.arena)}, its memory holds ${id}`);
}

/** Checks that a living primitive of that kind is at a handle's address. */
export function checkAddress(handle: PrimitiveHandle<string>, blockKind: number, words: Words): void {
  const { kind, address, tag } = handle;
  const first = words.load32(HEADER_HEAP);
  const inside = Number.isInteger(address) && address >= first && address < words.load32(HEADER_TOP);
  if (!inside || address % BLOCK_LINE !== 0) fail(kind, `address ${show(address)} is not a block of the arena`);
  if (!Number.isSafeInteger(tag) || tag <= 0) fail(kind, `its tag is ${show(tag)}`);
  const isThere =
    isStart(words, address) &&
    isInUse(words, address, tagOf(handle)) &&
    words.load32(address + BLOCK_ERA) === eraOf(handle);
  if (!isThere) fail(kind, 'what it led to was freed');
  if (words.load32(address + BLOCK_KIND) !== blockKind) fail(kind, `address ${address} holds another kind`);
}

function fail(kind: string, what: string): never {
  throw new HandleError(`Not a handle of kind ${kind}: ${what}.`);
}
