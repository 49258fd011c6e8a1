// The table of an arena's names. Each entry leads to the handle of a primitive. The agent that creates the primitive
// owns the entry's lock.
//
//   made ▶ owned      the entry's lock: by the agent that creates
//   owned ▶ ready     the handle is written, then STATE; then the lock is unlocked
//   owned ▶ unused    the creator threw, or died: the next agent that asks for the name owns the lock and creates
//   ready ▶ unused    forgotten, or the primitive was freed and an agent asked for the name: under the mutex of the
//                     table
//
// So if an agent owns the mutex of the table and finds an entry ready, it can read the handle: no other agent writes
// it.

import type { Arena } from '@sluice/core';
import { decodeText, encodeText } from '@sluice/core/calls';
import { BLOCK_ERA, BLOCK_LINE, HEADER_NAMES, LAYOUT_VERSION } from '@sluice/core/format';
import { contextOf, corrupt, tagAt, type Words } from '@sluice/core/internal';
import { BYTES, IS_READY, MARK_NAMES, PAYLOAD_AT, STATE } from '../table/layout.ts';
import { KeyTable, type TableTraits } from '../table/key-table.ts';
import { Locks, MUTEXES } from '../table/locks.ts';

/** Room for a handle, without the properties that all handles of an arena share. */
const HANDLE_BYTES = 480;
/** The properties that all handles of an arena share. */
const SHARED = new Set(['layout', 'arena', 'memory', 'modules']);
const TAGS = 2 ** 31;

const TRAITS: TableTraits = {
  mark: MARK_NAMES,
  payload: HANDLE_BYTES,
  kept: 0,
  className: 'The name',
  what: 'The table of names',
  entries: MUTEXES,
};

/** The part of a handle that a table of names reads. */
export type AnyHandle = Readonly<Record<string, unknown>>;

const known = new WeakMap<Arena, Locks>();

/** Returns the arena's table of names, or `undefined` if there is none yet. */
export function findNames(arena: Arena): Locks | undefined {
  const before = known.get(arena);
  if (before !== undefined) return before;
  const block = contextOf(arena).words.load32(HEADER_NAMES);
  const keys = block === 0 ? undefined : KeyTable.at(arena, block, TRAITS);
  if (keys === undefined) return undefined;
  const names = new Locks(keys, TRAITS);
  known.set(arena, names);
  return names;
}

/** Returns the arena's table of names. The first call creates it. Throws `ArenaFullError`. */
export function namesOf(arena: Arena): Locks {
  const found = findNames(arena);
  if (found !== undefined) return found;
  const made = KeyTable.create(arena, '', TRAITS, true);
  const own = new Locks(made, TRAITS);
  // Two agents may create a table at the same time. One table stays, and the agent that created the other one frees it.
  if (made.context.words.cas32(HEADER_NAMES, 0, made.ref.address) !== 0) own.free();
  return findNames(arena) ?? own;
}

/** Whether an entry has a handle. */
export function isReady(words: Words, entry: number): boolean {
  return words.load32(entry + BLOCK_LINE + STATE) === IS_READY;
}

/**
 * Writes a handle into an entry whose lock this agent owns. Returns false, and changes nothing, if the handle does not
 * fit.
 */
export function writeHandle(words: Words, entry: number, handle: AnyHandle): boolean {
  const text = encodeText(JSON.stringify(handle, withoutShared));
  if (text.length > HANDLE_BYTES) return false;
  const data = entry + BLOCK_LINE;
  const padded = new Uint8Array(4 * Math.ceil(text.length / 4));
  padded.set(text);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += 4) words.put32(data + PAYLOAD_AT + at, view.getInt32(at, true));
  words.put32(data + BYTES, text.length);
  // Written last: an agent that reads IS_READY also sees the handle.
  words.store32(data + STATE, IS_READY);
  return true;
}

/** Returns the complete handle of a ready entry. */
export function readHandle(arena: Arena, words: Words, entry: number): AnyHandle {
  const data = entry + BLOCK_LINE;
  const bytes = words.get32(data + BYTES);
  if (bytes < 0 || bytes > HANDLE_BYTES) throw corrupt(`a table of names has a handle of ${bytes} bytes`);
  const view = new DataView(new ArrayBuffer(4 * Math.ceil(bytes / 4)));
  for (let at = 0; at < bytes; at += 4) view.setInt32(at, words.get32(data + PAYLOAD_AT + at), true);
  const { memory, arena: id, modules } = arena.handle;
  const restore = (_: string, value: unknown): unknown =>
    isRef(value) ? { ...value, layout: LAYOUT_VERSION, arena: id, memory, modules } : value;
  return JSON.parse(decodeText(new Uint8Array(view.buffer, 0, bytes)), restore) as AnyHandle;
}

export function forgetHandle(words: Words, entry: number): void {
  words.store32(entry + BLOCK_LINE + STATE, 0);
}

/** Yields the primitives of a handle: its own, or those of the handles in it. */
export function* placesIn(
  handle: AnyHandle,
): Generator<{ readonly address: number; readonly tag: number; readonly arena?: unknown }> {
  if (isRef(handle)) yield handle;
  else
    for (const inner of Object.values(handle))
      if (typeof inner === 'object' && inner !== null) yield* placesIn(inner as AnyHandle);
}

/** Whether all primitives of a handle still exist, according to their blocks. */
export function isThere(words: Words, handle: AnyHandle): boolean {
  for (const { address, tag } of placesIn(handle)) {
    if (tagAt(words, address) !== tag % TAGS || words.load32(address + BLOCK_ERA) !== Math.floor(tag / TAGS))
      return false;
  }
  return true;
}

function isRef(value: unknown): value is { readonly address: number; readonly tag: number } {
  const { address, tag } = (value ?? {}) as { readonly address?: unknown; readonly tag?: unknown };
  return typeof address === 'number' && typeof tag === 'number';
}

function withoutShared(this: unknown, field: string, value: unknown): unknown {
  return SHARED.has(field) && isRef(this) ? undefined : value;
}
