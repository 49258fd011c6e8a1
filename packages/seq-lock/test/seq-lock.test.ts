// Tests the promises of the seq-lock to agents of one thread.

import { Arena } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { AGENT_SCRATCH, BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import { AtomicWords } from '../../core/src/kernel/words.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { SeqLock, type SeqLockOptions } from '../src/index.ts';
import { COPIES, PART, VALUE_SEQUENCE } from '../src/kernel/layout.ts';
import { strideOf } from '../src/layout.ts';
import { fill, numberIn } from './support/checksum.ts';
import './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const BYTES = 40;

describe.each(['wasm', 'js'] as const)('SeqLock (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  const other = secondAgent(arena);

  /** A seq-lock as seen by two agents. */
  function create(options: Partial<SeqLockOptions> = {}): { ours: SeqLock; theirs: SeqLock } {
    const ours = SeqLock.create({ arena, byteLength: BYTES, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => SeqLock.from(handle)) };
  }

  test('a new seq-lock has a value of zeros and version 0', () => {
    const { ours, theirs } = create({ name: 'fresh' });
    for (const lock of [ours, theirs]) {
      expect([lock.byteLength, lock.version, lock.closed, lock.name]).toEqual([BYTES, 0, false, 'fresh']);
      const { bytes, int32, float64 } = lock.read();
      expect([...bytes]).toEqual(Array(BYTES).fill(0));
      expect([int32.length, float64.length, int32.buffer === bytes.buffer, float64.buffer === bytes.buffer]).toEqual([
        10,
        5,
        true,
        true,
      ]);
      expect(bytes.buffer).toBeInstanceOf(ArrayBuffer);
    }
  });

  test.each([1, 3, 4, 5, 8, 12, 63, 64, 65, 1000])(
    'every byte of a value of %i bytes is written and read by both agents',
    (byteLength) => {
      const { ours, theirs } = create({ byteLength });
      for (let round = 1; round < 6; round++) {
        const [writer, reader] = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
        const bytes = Array.from({ length: byteLength }, (_, index) => (index * 7 + round) & 255);
        writer.write((value) => value.bytes.set(bytes));
        for (const lock of [reader, writer]) expect([...lock.read().bytes]).toEqual(bytes);
        expect([ours.version, theirs.version]).toEqual([round, round]);
      }
    },
  );

  test('write() replaces the whole value, with a function or with a value', () => {
    const { ours, theirs } = create();
    ours.write((value) => fill(value, 5));
    const kept = theirs.read();
    theirs.write(({ int32 }) => (int32[1] = 9));
    expect([...ours.read().int32]).toEqual([0, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
    ours.write(kept);
    kept.int32.fill(1);
    expect(numberIn(theirs.read())).toBe(5);
  });

  test('an update() without memory for the value throws and leaves the mutex free', () => {
    const { ours, theirs } = create();
    vi.stubGlobal('ArrayBuffer', function none(): never {
      throw new RangeError('Array buffer allocation failed');
    });
    let failure: unknown;
    try {
      ours.update(() => undefined);
    } catch (thrown) {
      failure = thrown;
    } finally {
      vi.unstubAllGlobals();
    }
    expect(failure).toBeInstanceOf(RangeError);
    expect([theirs.tryUpdate(() => undefined), ours.version]).toEqual([true, 1]);
  });

  test('update() begins with the value and returns the result of its function', () => {
    const { ours, theirs } = create();
    ours.write((value) => fill(value, 1));
    const before = theirs.update((value) => {
      const number = numberIn(value);
      fill(value, number + 1);
      return number;
    });
    expect([before, numberIn(ours.read()), ours.version]).toEqual([1, 2, 2]);
  });

  test('read() copies into a given value, or into a new one', () => {
    const { ours } = create();
    ours.write((draft) => fill(draft, 2));
    const value = ours.read();
    ours.write((draft) => fill(draft, 3));
    expect(numberIn(value)).toBe(2);
    expect([ours.read(value) === value, numberIn(value), ours.read() === value, ours.tryRead(value)]).toEqual([
      true,
      3,
      false,
      true,
    ]);
  });

  test('a call whose function throws writes nothing and leaves the seq-lock free', async () => {
    const { ours, theirs } = create();
    ours.write((value) => fill(value, 4));
    const fail = (value: { readonly int32: Int32Array }): never => {
      value.int32.fill(7);
      throw new Error('mine');
    };
    for (const call of [
      () => ours.write(fail),
      () => ours.tryWrite(fail),
      () => ours.update(fail),
      () => ours.tryUpdate(fail),
      () => ours.read(fail),
    ])
      expect(call).toThrow('mine');
    await expect(ours.writeAsync(fail)).rejects.toThrow('mine');
    await expect(ours.updateAsync(fail)).rejects.toThrow('mine');
    expect([numberIn(theirs.read()), theirs.version, theirs.tryUpdate(() => undefined), ours.inspect().owner]).toEqual([
      4,
      1,
      true,
      0,
    ]);
  });

  test('a function that returns a promise throws, and nothing is written', async () => {
    const { ours } = create();
    const promise = Promise.resolve(1);
    const later = (): unknown => promise;
    for (const call of [
      () => ours.write(later),
      () => ours.update(later),
      () => ours.tryUpdate(later),
      () => ours.read(later),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE', cause: promise }) as Error);
    }
    await expect(ours.updateAsync(later)).rejects.toMatchObject({ code: 'SLUICE_MISUSE', cause: promise });
    await expect(ours.writeAsync(later)).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
    expect([ours.version, ours.inspect().owner]).toEqual([0, 0]);
  });

  test('during an update readers get the previous value, and other writers wait or time out', async () => {
    const { ours, theirs } = create();
    ours.write((value) => fill(value, 1));
    let late: Promise<void> | undefined;
    ours.update((value) => {
      fill(value, 2);
      expect([
        numberIn(ours.read()),
        numberIn(theirs.read()),
        theirs.read(numberIn),
        theirs.tryRead(theirs.read()),
      ]).toEqual([1, 1, 1, true]);
      expect([
        theirs.tryWrite(value),
        theirs.tryWrite(value, 1),
        theirs.tryUpdate(() => undefined),
        ours.inspect().owner,
      ]).toEqual([false, false, false, arena.agentId]);
      late = theirs.writeAsync((draft) => fill(draft, 3));
    });
    expect([numberIn(theirs.read()), theirs.inspect().waiters.length]).toEqual([2, 1]);
    await late;
    expect([numberIn(ours.read()), ours.version, ours.inspect().waiters]).toEqual([3, 3, []]);
  });

  test('functions may call the same seq-lock, since each gets its own value', () => {
    const { ours } = create();
    ours.write((value) => fill(value, 1));
    const seen = ours.read((outer) => {
      ours.update((value) => fill(value, 2));
      return ours.read((inner) => [numberIn(outer), numberIn(inner)]);
    });
    expect(seen).toEqual([1, 2]);
  });

  test('a write in the function of an update of the same agent throws a MisuseError, and the update continues', () => {
    const { ours } = create();
    ours.update((value) => {
      for (const call of [
        () => ours.write(value),
        () => ours.update(() => undefined),
        () => ours.tryWrite(value, Infinity),
        () => ours.free(),
      ]) {
        expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
      }
      fill(value, 8);
    });
    expect([numberIn(ours.read()), ours.version]).toEqual([8, 1]);
  });

  test('async calls of both agents take turns, and the value is never torn', async () => {
    const { ours, theirs } = create();
    ours.write((value) => fill(value, 0));
    const add = (value: Parameters<typeof numberIn>[0]): number => {
      const number = numberIn(value) + 1;
      fill(value, number);
      return number;
    };
    const updates = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? ours : theirs).updateAsync(add));
    const reads = Array.from({ length: 10 }, () => ours.readAsync());
    expect((await Promise.all(updates)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    for (const value of await Promise.all(reads)) expect(numberIn(value)).toBeLessThanOrEqual(40);
    expect([numberIn(theirs.read()), theirs.version]).toEqual([40, 41]);
  });

  test('while an async write waits, calls of its agent that do not block work, and a blocking call throws a DeadlockError', async () => {
    const { ours, theirs } = create();
    let write: Promise<void> | undefined;
    theirs.update(() => {
      write = ours.writeAsync((value) => fill(value, 6));
      expect([ours.read().int32[0], ours.tryWrite(() => undefined)]).toEqual([0, false]);
      expect(() => ours.write(() => undefined)).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
    });
    await write;
    expect(numberIn(theirs.read())).toBe(6);
  });

  test('writeAsync() writes the value as it was at the call', async () => {
    const { ours, theirs } = create();
    const value = ours.read();
    let write: Promise<void> | undefined;
    theirs.update(() => {
      fill(value, 1);
      write = ours.writeAsync(value);
      fill(value, 2);
    });
    await write;
    expect(numberIn(theirs.read())).toBe(1);
  });

  test('close() ends writing, also for waiters, and reads still work', async () => {
    const { ours, theirs } = create({ name: 'last' });
    ours.write((value) => fill(value, 1));
    const waits: Promise<unknown>[] = [];
    theirs.tryUpdate((value) => {
      waits.push(ours.writeAsync(value).catch((failure: unknown) => failure));
      fill(value, 2);
      ours.close();
    });
    const [failure] = await Promise.all(waits);
    expect(failure).toMatchObject({ code: 'SLUICE_CLOSED', message: "SeqLock 'last' is closed. Nothing was written." });
    for (const call of [
      () => ours.write(() => undefined),
      () => theirs.update(() => undefined),
      () => theirs.tryUpdate(() => undefined),
      () => theirs.tryWrite(() => undefined),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }) as Error);
    }
    ours.close();
    expect([
      ours.closed,
      theirs.closed,
      ours.read(numberIn),
      numberIn(await theirs.readAsync()),
      ours.version,
      ours.inspect().owner,
    ]).toEqual([true, true, 2, 2, 2, 0]);
    ours.free();
  });

  test('write() accepts a value of another seq-lock if it has the same length', () => {
    const [one, two, longer] = [create().ours, create().theirs, create({ byteLength: BYTES + 4 }).ours];
    one.write((value) => fill(value, 11));
    two.write(one.read());
    expect(two.read(numberIn)).toBe(11);
    const misfit = longer.read();
    for (const call of [
      () => one.read(misfit),
      () => one.tryRead(misfit),
      () => one.write(misfit),
      () => one.tryWrite(misfit),
    ])
      expect(call).toThrow('has a value of 40 bytes: received one of 44.');
    expect(one.read(numberIn)).toBe(11);
  });

  test('a read whose attempts all fail waits for the writers’ mutex, and gets the value', async () => {
    // A reader copies this value in parts and reads the sequence between steps.
    const { ours } = create({ byteLength: 512 });
    ours.write((value) => fill(value, 21));
    const { words } = contextOf(arena);
    const at = ours.handle.address + BLOCK_LINE + VALUE_SEQUENCE;
    let looks = 0;
    // At each second read of the sequence two writes have happened.
    const lose = (address: number): number =>
      AtomicWords.prototype.load32.call(words, address) + (address === at && looks++ % 2 === 1 ? 4 : 0);
    Object.defineProperty(words, 'load32', { configurable: true, value: lose });
    try {
      // Two reads for each attempt, and two under the mutex.
      expect([ours.read(numberIn), looks]).toEqual([21, 18]);
      looks = 0;
      expect(ours.tryRead(ours.read())).toBe(false);
      looks = 0;
      expect(numberIn(await ours.readAsync())).toBe(21);
    } finally {
      Reflect.deleteProperty(words, 'load32');
    }
    expect(ours.inspect()).toMatchObject({ owner: 0, waiters: [] });
  });

  test('without contention a write changes only bytes of the seq-lock, and a read only bytes of its own agent', () => {
    const { ours, theirs } = create();
    theirs.write((value) => fill(value, 1));
    const value = ours.read();
    const bytes = (): Buffer => Buffer.from(new Uint8Array(arena.handle.memory.buffer));
    const before = bytes();
    const changedSince = (earlier: Buffer): number[] =>
      [...bytes().entries()].filter(([at, byte]) => earlier[at] !== byte).map(([at]) => at);
    theirs.write((draft) => fill(draft, 3));
    const written = bytes();
    for (let round = 0; round < 3; round++) ours.read(value);
    ours.tryRead(value);
    ours.read(numberIn);
    const scratch = contextOf(arena).agent + AGENT_SCRATCH;
    expect(changedSince(written).filter((at) => at < scratch || at >= scratch + 4 * PART)).toEqual([]);
    const data = ours.handle.address + BLOCK_LINE;
    expect(
      changedSince(before).filter(
        (at) => (at < data || at >= data + COPIES + 2 * strideOf(BYTES)) && (at < scratch || at >= scratch + 4 * PART),
      ),
    ).toEqual([]);
  });

  test('inspect() and console.log show the version, the writer and the waiters', async () => {
    const { ours, theirs } = create({ name: 'shown' });
    const title = expect.stringMatching(/^agent \d+/) as string;
    let write: Promise<void> | undefined;
    ours.update(() => {
      write = theirs.writeAsync(() => undefined);
      expect(ours.inspect()).toEqual({
        kind: 'seq-lock',
        name: 'shown',
        byteLength: BYTES,
        version: 0,
        closed: false,
        owner: arena.agentId,
        ownerTitle: title,
        waiters: [
          {
            agent: other.agentId,
            title,
            kind: 'async',
            since: expect.any(Number) as number,
            age: expect.any(Number) as number,
          },
        ],
        abandoned: 0,
      });
    });
    await write;
    expect([String(ours), ours.inspect().version]).toEqual(["SeqLock 'shown'", 2]);
    expect(arena.inspect().blocks.find(({ address }) => address === ours.handle.address)).toBeDefined();
  });

  test('after free() every call throws a MisuseError, and the memory is reused', async () => {
    const { ours, theirs } = create({ name: 'gone' });
    const value = ours.read();
    ours.free();
    const calls = [
      () => theirs.read(),
      () => theirs.read(value),
      () => theirs.read(() => 1),
      () => theirs.tryRead(value),
      () => theirs.readAsync(),
      () => theirs.write(value),
      () => theirs.tryWrite(value),
      () => theirs.tryWrite(value, 5),
      () => theirs.writeAsync(value),
      () => theirs.update(() => undefined),
      () => theirs.tryUpdate(() => undefined),
      () => theirs.updateAsync(() => undefined),
      () => theirs.version,
      () => theirs.closed,
      () => theirs.close(),
      () => theirs.name,
      () => theirs.inspect(),
      () => theirs.free(),
    ];
    for (const call of calls) {
      await expect(Promise.resolve().then(call)).rejects.toMatchObject({
        code: 'SLUICE_MISUSE',
        message: "The seq-lock 'gone' was freed and cannot be used any more.",
      });
    }
    const { ours: next } = create();
    expect(next.handle.address).toBe(ours.handle.address);
    expect([...next.read().bytes]).toEqual(Array(BYTES).fill(0));
    expect(() => theirs.read(value)).toThrow('was freed');
  });
});

test('create() of a seq-lock without room in the arena changes nothing', () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 1 });
  const before = arena.inspect();
  expect(() => SeqLock.create({ arena, byteLength: 2 ** 20 })).toThrow(
    expect.objectContaining({ code: 'SLUICE_ARENA_FULL' }) as Error,
  );
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

test.each([8, 512])(
  'every call of an agent that has left the arena throws, and does not write to its record, which another agent may have (%i bytes)',
  async (byteLength) => {
    const arena = Arena.create({ maxPages: 8 });
    const lock = SeqLock.create({ arena, byteLength });
    const value = lock.read();
    const scratch = new Int32Array(arena.handle.memory.buffer, contextOf(arena).agent + AGENT_SCRATCH, PART);
    arena.leave();
    scratch.fill(7);
    for (const call of [
      () => lock.read(),
      () => lock.tryRead(value),
      () => lock.readAsync(),
      () => lock.write(value),
      () => lock.update(() => undefined),
      () => lock.version,
      () => lock.close(),
      () => lock.free(),
    ]) {
      await expect(Promise.resolve().then(call)).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
    }
    expect([...scratch]).toEqual(Array(PART).fill(7));
  },
);
