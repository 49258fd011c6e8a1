// Deaths of processes that use a cache and the limits of keys over a server.

import type { Space } from '../../src/index.ts';
import { limitOf } from './cacher.mjs';

/** A process of a test, and the lines that it has printed. */
export interface Printing {
  readonly lines: readonly string[];
}

/** What a test of an engine gives: processes, and a wait. */
export interface Deaths<Child extends Printing> {
  readonly begin: (what: 'work' | 'value' | 'slot') => Child;
  readonly end: (child: Child) => Promise<void>;
  readonly until: (what: string, holds: () => boolean | Promise<boolean>, limitMs?: number) => Promise<void>;
}

/** The lease of the processes in ms: what a dead one held goes to the others after that time. */
export const LEASE = 6000;
/** The lease of a session that must not end. */
export const LONG = 120_000;
const PROCESSES = 3;

const entered = ({ lines }: Printing): number => lines.filter((line) => line.startsWith('entered')).length;

/** Kills as many processes, one after the other. Returns what was wrong, and the number of rounds. */
export async function deathsOfCachers<Child extends Printing>(
  { begin, end, until }: Deaths<Child>,
  kills: number,
): Promise<{ readonly wrong: readonly string[]; readonly rounds: number }> {
  const children = Array.from({ length: PROCESSES }, () => begin('work'));
  const all = [...children];
  const goOn = async (what: string): Promise<void> => {
    const before = children.map(entered);
    await until(what, () => children.every((child, i) => entered(child) >= (before[i] ?? 0) + 4), 240_000);
  };
  try {
    await goOn('all processes have got values');
    for (let i = 0; i < kills; i++) {
      const at = i % PROCESSES;
      await end(children[at] as Child);
      const next = begin('work');
      children[at] = next;
      all.push(next);
      await goOn(`all processes have got values after death ${i}`);
    }
    return {
      wrong: all.flatMap(({ lines }) => lines.filter((line) => line.includes('WRONG'))),
      rounds: all.reduce((sum, child) => sum + entered(child), 0),
    };
  } finally {
    for (const child of children) await end(child);
  }
}

/** A process dies while it computes a value for which two others wait. Returns how often it was computed, and as what. */
export async function deathOfComputer<Child extends Printing>(
  { begin, end, until }: Deaths<Child>,
  spaces: readonly [Space, Space],
): Promise<unknown[]> {
  const child = begin('value');
  await until('it computes', () => child.lines.length === 1);
  let computed = 0;
  const waits = spaces.map((space) =>
    space.cache<number>('held').getAsync('a', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return ++computed;
    }),
  );
  await until('both wait', async () => (await spaces[0].cache('held').inspect()).computing[0]?.waiting === 2);
  await end(child);
  return [await Promise.all(waits), computed];
}

export const COMPUTED_ONCE = [[1, 1], 1];

/** A process dies while it holds the only slot of a key. Returns what the next call of the key got. */
export async function deathOfTenant<Child extends Printing>(
  { begin, end, until }: Deaths<Child>,
  space: Space,
): Promise<unknown[]> {
  const child = begin('slot');
  await until('it holds the slot', () => child.lines.length === 1);
  const limit = limitOf(space);
  const other = await limit.runAsync('b', () => 'another key');
  const next = limit.runAsync('a', () => 'the next');
  await end(child);
  return [other, await next];
}

export const NEXT_OF_TENANT = ['another key', 'the next'];
