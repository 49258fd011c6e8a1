// Only the agent that left a place in line can take it again.

import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { jsEngine } from '../src/js.ts';
import { GATE, OWNER, LINE, TAG } from '../src/kernel/layout.ts';
import { ABANDONED, LINKED, SPENT, TAKEN, WAITING } from '../src/kernel/states.ts';
import { asLine } from '../src/kernel/addresses.ts';

test.each([
  ['wasm', undefined],
  ['js', jsEngine],
] as const)('rejoin() reuses a tombstone of this agent at this line only (%s)', (_, engine) => {
  const arena = Arena.create(engine === undefined ? {} : { engine });
  const context = contextOf(arena);
  const { words, kernel, agent, id } = context;
  const line = asLine(Semaphore.create(0, { arena }).handle.address);
  const element = context.takeElement(0);
  const set = (owner: number, gate: number, sem: number, tag: number): void => {
    words.store32(element + OWNER, owner);
    words.store32(element + GATE, gate);
    words.put32(element + LINE, sem);
    words.put32(element + TAG, tag);
  };
  const gate = (): number => words.load32(element + GATE);
  for (const [owner, left, sem, tag] of [
    [id + 1, ABANDONED, line, 7],
    [id, SPENT, line, 7],
    [id, LINKED, line, 7],
    [id, ABANDONED, line + 128, 7],
    [id, ABANDONED, line, 8],
    [0, ABANDONED, line, 7],
  ] as const) {
    set(owner, left, sem, tag);
    expect(kernel.rejoin(agent, element, line, 7)).toBe(WAITING);
    expect([words.load32(element + OWNER), gate()]).toEqual([owner, left]);
  }
  set(id, ABANDONED, line, 7);
  expect(kernel.rejoin(agent, element, line, 7)).toBe(TAKEN);
  expect(gate()).toBe(LINKED);
});
