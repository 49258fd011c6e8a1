// Tests the promises of a snapshot of a seq-lock.

import { Arena } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { AGENT_SCRATCH, BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import { AtomicWords } from '../../core/src/kernel/words.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { SeqLock } from '../src/index.ts';
import { PART, VALUE_SEQUENCE } from '../src/kernel/layout.ts';
import { fill, numberIn } from './support/checksum.ts';
import './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

describe.each(['wasm', 'js'] as const)('SeqSnapshot (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  const other = secondAgent(arena);

  /** A seq-lock as seen by two agents. */
  function create(byteLength = 40): { ours: SeqLock; theirs: SeqLock } {
    const ours = SeqLock.create({ arena, byteLength, name: 'shown' });
    return { ours, theirs: openAs(other, ours.handle, (handle) => SeqLock.from(handle)) };
  }

  test.each([1, 3, 4, 8, 12, 16, 64, 68, 256, 260, 1000])(
    'a snapshot of %i bytes has the value, in memory of this thread',
    (byteLength) => {
      const { ours, theirs } = create(byteLength);
      const early = ours.snapshot();
      expect([...early.bytes]).toEqual(Array(byteLength).fill(0));
      const bytes = Array.from({ length: byteLength }, (_, index) => (index * 7 + 1) & 255);
      theirs.write((value) => value.bytes.set(bytes));
      expect([early.bytes[0], early.refresh(), [...early.bytes]]).toEqual([0, true, bytes]);
      expect([...theirs.snapshot().bytes]).toEqual(bytes);
      expect([
        early.int32.length,
        early.float64.length,
        early.int32.buffer === early.bytes.buffer,
        early.float64.buffer === early.bytes.buffer,
      ]).toEqual([byteLength >> 2, byteLength >> 3, true, true]);
      expect(early.bytes.buffer).toBeInstanceOf(ArrayBuffer);
    },
  );

  test('refresh() copies after each write of any agent, and otherwise does not change the views', () => {
    const { ours, theirs } = create();
    const snapshot = ours.snapshot();
    for (let round = 1; round < 6; round++) {
      (round % 2 === 0 ? ours : theirs).write((value) => fill(value, round));
      expect([snapshot.refresh(), numberIn(snapshot), snapshot.refresh()]).toEqual([true, round, false]);
    }
    snapshot.int32[0] = 77;
    expect([snapshot.refresh(), snapshot.int32[0], ours.read().int32[0]]).toEqual([false, 77, 5]);
    // The same number again is a write, too.
    theirs.write((value) => fill(value, 5));
    expect([snapshot.refresh(), numberIn(snapshot)]).toEqual([true, 5]);
  });

  test('a write that has only begun, failed or thrown does not make refresh() copy', () => {
    const { ours, theirs } = create();
    const snapshot = ours.snapshot();
    theirs.update((value) => {
      fill(value, 1);
      expect(snapshot.refresh()).toBe(false);
    });
    expect(snapshot.refresh()).toBe(true);
    expect(() =>
      theirs.update(() => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
    theirs.close();
    expect(() => theirs.write((value) => fill(value, 2))).toThrow('is closed');
    expect([snapshot.refresh(), numberIn(snapshot), numberIn(ours.snapshot())]).toEqual([false, 1, 1]);
  });

  test('each snapshot has its own memory and version, and reads do not change them', () => {
    const { ours, theirs } = create();
    const [one, two] = [ours.snapshot(), ours.snapshot()];
    theirs.write((value) => fill(value, 3));
    expect([ours.read(numberIn), one.refresh(), numberIn(one), two.int32[0], two.refresh(), numberIn(two)]).toEqual([
      3,
      true,
      3,
      0,
      true,
      3,
    ]);
  });

  test('a snapshot whose attempts all fail waits for the writers’ mutex, and gets the value', () => {
    // A reader copies this value in parts and reads the sequence between steps.
    const { ours } = create(512);
    const snapshot = ours.snapshot();
    ours.write((value) => fill(value, 21));
    const { words } = contextOf(arena);
    const at = ours.handle.address + BLOCK_LINE + VALUE_SEQUENCE;
    let looks = 0;
    // At each second read of the sequence two writes have happened.
    const lose = (address: number): number =>
      AtomicWords.prototype.load32.call(words, address) + (address === at && ++looks % 2 === 0 && looks <= 16 ? 4 : 0);
    Object.defineProperty(words, 'load32', { configurable: true, value: lose });
    try {
      // The step of `jsEngine` reads the same words.
      if (engine === 'js') looks = -1;
      expect([snapshot.refresh(), numberIn(snapshot)]).toEqual([true, 21]);
      expect(looks).toBeGreaterThan(16);
    } finally {
      Reflect.deleteProperty(words, 'load32');
    }
    expect([snapshot.refresh(), ours.inspect().owner]).toEqual([false, 0]);
  });

  test('refresh() of an unchanged value writes nothing', () => {
    const { ours, theirs } = create();
    theirs.write((value) => fill(value, 1));
    const snapshot = ours.snapshot();
    const bytes = (): Buffer => Buffer.from(new Uint8Array(arena.handle.memory.buffer));
    const before = bytes();
    for (let round = 0; round < 3; round++) snapshot.refresh();
    expect(bytes().equals(before)).toBe(true);
  });

  test('console.log shows the seq-lock, the version and whether it is the newest', () => {
    const { ours } = create();
    const snapshot = ours.snapshot();
    const shown = (): unknown =>
      (snapshot as unknown as Record<symbol, () => string>)[Symbol.for('nodejs.util.inspect.custom')]?.();
    expect(shown()).toBe(`SeqSnapshot { of: "SeqLock 'shown'", version: 0, newest: true }`);
    ours.write((value) => fill(value, 1));
    expect(shown()).toBe(`SeqSnapshot { of: "SeqLock 'shown'", version: 0, newest: false }`);
    ours.free();
    expect(shown()).toBe('SeqSnapshot { freed: true }');
  });

  test.each([40, 512])(
    'after free() a snapshot of %i bytes throws in each call, whatever the memory contains now',
    (byteLength) => {
      const { ours, theirs } = create(byteLength);
      const snapshot = theirs.snapshot();
      ours.free();
      for (let round = 0; round < 2; round++) {
        expect(() => snapshot.refresh()).toThrow(
          expect.objectContaining({
            code: 'SLUICE_MISUSE',
            message: "The seq-lock 'shown' was freed and cannot be used any more.",
          }) as Error,
        );
        expect(() => theirs.snapshot()).toThrow('was freed');
        const { ours: next } = create(byteLength);
        expect(next.handle.address).toBe(ours.handle.address);
        expect(() => snapshot.refresh()).toThrow('was freed');
        next.free();
      }
    },
  );
});

test('snapshot() without memory for it changes nothing', () => {
  const arena = Arena.create({ maxPages: 8 });
  const lock = SeqLock.create({ arena, byteLength: 16 });
  const before = arena.inspect();
  vi.stubGlobal('ArrayBuffer', function none(): never {
    throw new RangeError('Array buffer allocation failed');
  });
  try {
    expect(() => lock.snapshot()).toThrow(RangeError);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

test.each([8, 512])(
  'refresh() of an agent that has left the arena throws, and does not write to its record, which another agent may have (%i bytes)',
  (byteLength) => {
    const arena = Arena.create({ maxPages: 8 });
    const snapshot = SeqLock.create({ arena, byteLength }).snapshot();
    const scratch = new Int32Array(arena.handle.memory.buffer, contextOf(arena).agent + AGENT_SCRATCH, PART);
    arena.leave();
    scratch.fill(7);
    expect(() => snapshot.refresh()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    expect([...scratch]).toEqual(Array(PART).fill(7));
  },
);
