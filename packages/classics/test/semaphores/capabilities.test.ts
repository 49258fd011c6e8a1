// The capabilities that each member reports are those that it has.

import { readFileSync } from 'node:fs';
import { Arena, HandleError, Region, UnsupportedError } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { describe, expect, test } from 'vitest';
import {
  LocationSemaphore,
  WaitingArraySemaphore,
  type Capabilities,
  type LightweightSemaphore,
  type MultilaneSemaphore,
} from '../../src/index.ts';
import { COMPOSITE, INNER, MEMBERS, ONE_LINE } from './support/members.ts';
import {
  comesPastALowerPriority,
  comesPastASpinner,
  comesPastAToken,
  comesPastOneThatWantsMuch,
} from './support/overtaking.ts';
import { wokenByAPost } from './support/woken.ts';

describe.each(MEMBERS.map((Member) => [Member.name, Member] as const))('%s', (name, Member) => {
  const { fifo, weighted, givesUp, bounded, wakesOne } = Member.capabilities;
  const arena = Arena.create({ maxPages: 64 });

  test('capabilities.fifo tells whether no later waiter is served first', async () => {
    const ways: Readonly<Record<string, () => Promise<boolean>>> = {
      LightweightSemaphore: comesPastASpinner,
      MultilaneSemaphore: comesPastAToken,
      PrioritySemaphore: comesPastALowerPriority,
    };
    const overtaken = await (
      ways[name] ?? (() => comesPastOneThatWantsMuch(Member.create(0, { arena }), fifo ? 20 : 5000))
    )();
    expect(overtaken).toBe(!fifo);
  });

  test('capabilities.weighted tells whether acquireAsync(3) is supported', async () => {
    const sem = Member.create(3, { arena });
    const outcome = await sem.acquireAsync(3).then(
      () => 'taken',
      (failure: unknown) => (failure instanceof UnsupportedError ? 'unsupported' : failure),
    );
    expect([outcome, sem.available]).toEqual(weighted ? ['taken', 0] : ['unsupported', 3]);
  });

  test('capabilities.wakesOne tells whether a release wakes one blocked waiter or several', () => {
    const woken = wokenByAPost(Member);
    expect([woken >= 1, woken === 1]).toEqual([true, wakesOne]);
  });

  test('capabilities.givesUp: a wait can end without permits, and delays no other waiter', async () => {
    const sem = Member.create(0, { arena });
    const behind = sem.acquireAsync(1, { timeout: 1 }).catch(() => 'gave up');
    const last = sem.acquireAsync();
    expect([await behind, givesUp]).toEqual(['gave up', true]);
    sem.release();
    await last;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('capabilities.bounded: a release beyond max throws and releases nothing', () => {
    const sem = Member.create(1, { arena, max: 1 });
    expect(() => sem.release()).toThrow(RangeError);
    expect([sem.available, bounded]).toEqual([1, true]);
  });

  test('an instance reports the capabilities of its class', () => {
    expect(Member.create(0, { arena }).capabilities).toEqual(Member.capabilities);
  });

  test("from() of another member's handle throws a HandleError", () => {
    const others = MEMBERS.filter((Other) => Other !== Member);
    for (const Other of others) expect(() => Member.from(Other.create(1, { arena }).handle)).toThrow(HandleError);
    expect(Member.from(Member.create(1, { arena }).handle).available).toBe(1);
  });

  test('a waiter that cannot get an element returns its ticket', () => {
    const full = Arena.create({ maxPages: 1, policy: { buckets: 1 } });
    const sem = Member.create(0, { arena: full });
    fill(full);
    const held: Promise<void>[] = [];
    let failure: unknown;
    while (failure === undefined && held.length < 1000) {
      const before = sem.waiting;
      try {
        sem.tryAcquire(1, 1);
      } catch (error) {
        failure = error;
        expect(sem.waiting).toBe(before);
      }
      held.push(sem.acquireAsync());
      held.at(-1)?.catch((error: unknown) => (failure ??= error));
    }
    const waiting = sem.waiting;
    sem.release(waiting + 1);
    expect([sem.available, sem.waiting]).toEqual(name === 'AddressSemaphore' ? [waiting + 1, 0] : [1, 0]);
    sem.close();
    for (const wait of held) wait.catch(() => undefined);
  });
});

const COLUMNS: readonly (keyof Capabilities)[] = ['fifo', 'weighted', 'givesUp', 'bounded', 'wakesOne'];

test('the table in the README reports the same capabilities', () => {
  const lines = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const head = lines.findIndex((cells) =>
    COLUMNS.every((column, index) => cells[index + 2]?.includes(`\`${column}\``)),
  );
  const all = [...ONE_LINE, ...COMPOSITE];
  const rows = lines
    .slice(head + 2, head + 2 + all.length)
    .map((cells) => [
      cells[1],
      Object.fromEntries(
        COLUMNS.map((column, index) => [column, /^(yes|no)\b/.exec(cells[index + 2] ?? '')?.[1] === 'yes']),
      ),
    ]);
  expect(rows).toEqual(all.map(({ name, capabilities }) => [`\`${name}\``, capabilities]));
  expect(lines[head + 2 + all.length]).toEqual(['']);
});

/** Allocates the rest of the heap. */
function fill(arena: Arena): void {
  for (let bytes = 65_536; bytes >= BLOCK_LINE; bytes /= 2) {
    try {
      for (;;) Region.create(bytes, { arena });
    } catch {
      // Smaller blocks may still find room.
    }
  }
}

test('LocationSemaphore: a conservative post has no bound, and wakes the waiter that it admits', async () => {
  const arena = Arena.create({ maxPages: 64 });
  expect(() => LocationSemaphore.create(1, { arena, conservative: true, max: 2 })).toThrow(TypeError);
  const sem = LocationSemaphore.create(0, { arena, conservative: true });
  expect(sem.capabilities).toEqual({ ...LocationSemaphore.capabilities, bounded: false });
  const waits = [sem.acquireAsync(), sem.acquireAsync(2)];
  sem.release(3);
  await Promise.all(waits);
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
});

test.each(INNER)('a member over kind %s reports whether a release wakes one waiter, as that kind does', (inner) => {
  for (const Member of COMPOSITE) {
    const create = (arena: Arena): LightweightSemaphore | MultilaneSemaphore => Member.create(0, { arena, inner });
    const { wakesOne } = create(Arena.create()).capabilities;
    expect(wokenByAPost(Member, create) === 1).toBe(wakesOne);
  }
});

test('WaitingArraySemaphore: a conservative one has no bound, and names the next waiter', async () => {
  const arena = Arena.create({ maxPages: 64 });
  expect(() => WaitingArraySemaphore.create(1, { arena, conservative: true, max: 2 })).toThrow(TypeError);
  expect(() => WaitingArraySemaphore.create(1, { arena, longTermThreshold: -1 })).toThrow(RangeError);
  const sem = WaitingArraySemaphore.create(0, { arena, conservative: true, longTermThreshold: 2 });
  expect(sem.capabilities).toEqual({ ...WaitingArraySemaphore.capabilities, bounded: false });
  const waits = [sem.acquireAsync(), sem.acquireAsync(2)];
  sem.release(3);
  await Promise.all(waits);
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
});
