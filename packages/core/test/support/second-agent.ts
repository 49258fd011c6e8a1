// A second agent of this thread. Unlike the agents of crash-world.ts, it really waits and needs no mock.

import { contextOf } from '../../src/arena/arena.ts';
import { newArenaId } from '../../src/memory/lay-out-arena.ts';
import { Arena } from '../../src/index.ts';
import { HEADER_ID } from '../../src/kernel/layout.ts';

/** While an arena has another id, this realm treats it as another arena. */
function renamed<T>(arena: Arena, id: bigint, act: () => T): T {
  const { words } = contextOf(arena);
  const before = words.load64(HEADER_ID);
  words.store64(HEADER_ID, id);
  try {
    return act();
  } finally {
    words.store64(HEADER_ID, before);
  }
}

/** Returns the same arena as seen by another agent. */
export function secondAgent(arena: Arena): Arena {
  const id = newArenaId();
  const name = BigInt.asUintN(64, id).toString(16).padStart(16, '0');
  return renamed(arena, id, () => Arena.from({ ...arena.handle, arena: name }));
}

/** Returns the result of `open` for a handle, called as that agent. The handle may contain other handles. */
export function openAs<Handle extends object, T>(agent: Arena, handle: Handle, open: (handle: Handle) => T): T {
  return renamed(agent, BigInt.asIntN(64, BigInt(`0x${agent.id}`)), () => open(inArena(handle, agent.id)));
}

function inArena<Handle extends object>(handle: Handle, id: string): Handle {
  const entries = Object.entries(handle).map(([key, value]: [string, unknown]) => [
    key,
    key === 'arena' ? id : isPlain(value) ? inArena(value, id) : value,
  ]);
  return Object.fromEntries(entries) as Handle;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
