// Tests the promises of the upgradeable side of a read-write lock to agents of one thread.

import { Arena, hasCode } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock, type RwLockOptions } from '../src/index.ts';
import './support/kinds.ts';

const MISUSE = expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error;

describe.each(['wasm', 'js'] as const)('RwLock.upgradeable (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const others = [secondAgent(arena), secondAgent(arena)];

  function create(options: RwLockOptions = {}): { ours: RwLock; theirs: RwLock; thirds: RwLock } {
    const ours = RwLock.create({ arena, name: 'table', upgradeable: true, ...options });
    const [theirs, thirds] = others.map((agent) => openAs(agent, ours.handle, (handle) => RwLock.from(handle)));
    return { ours, theirs: theirs as RwLock, thirds: thirds as RwLock };
  }

  function expectFree(...locks: readonly RwLock[]): void {
    for (const lock of locks) {
      expect(lock.inspect()).toMatchObject({
        writer: 0,
        readers: [],
        upgradeable: 0,
        waitingReaders: [],
        waitingWriters: [],
        consistency: 'consistent',
      });
      expect(lock.writer.tryLock()).toBe(true);
      lock.writer.unlock();
    }
  }

  test('one agent at a time reads upgradeably, beside readers but not beside a writer', () => {
    const { ours, theirs, thirds } = create();
    ours.upgradeable.lock();
    expect([
      theirs.reader.tryLock(),
      thirds.reader.tryLock(),
      theirs.upgradeable.tryLock(),
      thirds.upgradeable.tryLock(1),
      thirds.writer.tryLock(),
      thirds.writer.tryLock(1),
    ]).toEqual([true, true, false, false, false, false]);
    expect([ours.upgradeable.held, theirs.upgradeable.held, ours.reader.held, ours.writer.owned]).toEqual([
      true,
      false,
      1,
      false,
    ]);
    expect(theirs.inspect()).toMatchObject({
      upgradeable: arena.agentId,
      writer: 0,
      readers: [{ times: 1 }, { times: 1 }, { times: 1 }],
    });
    theirs.reader.unlock();
    thirds.reader.unlock();
    ours.upgradeable.unlock();
    theirs.writer.lock();
    expect([ours.upgradeable.tryLock(), ours.upgradeable.tryLock(1), ours.inspect().upgradeable]).toEqual([
      false,
      false,
      0,
    ]);
    theirs.writer.unlock();
    expectFree(ours, theirs, thirds);
  });

  test('upgrade() makes the agent the writer, and downgrade() an upgradeable reader again', () => {
    const { ours, theirs } = create();
    ours.upgradeable.lock();
    ours.upgradeable.upgrade();
    expect([
      ours.upgradeable.held,
      ours.writer.owned,
      ours.reader.held,
      theirs.reader.tryLock(),
      theirs.upgradeable.tryLock(),
    ]).toEqual([false, true, 0, false, false]);
    expect(theirs.inspect()).toMatchObject({ upgradeable: 0, writer: arena.agentId, readers: [] });
    ours.upgradeable.downgrade();
    expect([ours.upgradeable.held, ours.writer.owned, theirs.reader.tryLock(), theirs.upgradeable.tryLock()]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    theirs.reader.unlock();
    ours.upgradeable.unlock();
    expectFree(ours, theirs);
  });

  test('upgrade() waits for the readers to leave, and no writer enters in between', async () => {
    const { ours, theirs, thirds } = create();
    const order: string[] = [];
    await theirs.reader.lockAsync();
    await ours.upgradeable.lockAsync();
    const write = thirds.writer.lockAsync().then(() => order.push('writer'));
    const upgrade = ours.upgradeable.upgradeAsync().then(() => order.push('upgraded'));
    const late = thirds.reader.lockAsync().then(() => order.push('reader'));
    await new Promise((later) => setImmediate(later));
    expect(order).toEqual([]);
    theirs.reader.unlock();
    await upgrade;
    ours.upgradeable.unlock();
    await late;
    thirds.reader.unlock();
    await write;
    expect(order).toEqual(['upgraded', 'reader', 'writer']);
    thirds.writer.unlock();
    expectFree(ours, theirs, thirds);
  });

  test('after an upgrade that times out or is aborted, the agent is still an upgradeable reader', async () => {
    const { ours, theirs, thirds } = create();
    theirs.reader.lock();
    ours.upgradeable.lock();
    expect([ours.upgradeable.tryUpgrade(), ours.upgradeable.tryUpgrade(1), ours.upgradeable.held]).toEqual([
      false,
      false,
      true,
    ]);
    await expect(ours.upgradeable.upgradeAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    const controller = new AbortController();
    const aborted = ours.upgradeable.upgradeAsync({ signal: controller.signal });
    controller.abort(new Error('mine'));
    await expect(aborted).rejects.toThrow('mine');
    expect([ours.upgradeable.held, thirds.upgradeable.tryLock(), thirds.reader.tryLock()]).toEqual([true, false, true]);
    thirds.reader.unlock();
    theirs.reader.unlock();
    expect([ours.upgradeable.tryUpgrade(), ours.writer.owned]).toEqual([true, true]);
    ours.upgradeable.unlock();
    expectFree(ours, theirs, thirds);
  });

  test('a cancelled wait for the upgradeable side takes nothing', async () => {
    const { ours, theirs } = create();
    theirs.upgradeable.lock();
    for (const side of [ours.upgradeable, ours.writer]) {
      await expect(side.lockAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
      const controller = new AbortController();
      const wait = side.lockAsync({ signal: controller.signal });
      controller.abort(new Error('mine'));
      await expect(wait).rejects.toThrow('mine');
    }
    theirs.upgradeable.unlock();
    // A writer that has the seat waits for a reader, times out, and leaves the seat.
    theirs.reader.lock();
    expect(ours.writer.tryLock(1)).toBe(false);
    await expect(ours.writer.lockAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    theirs.reader.unlock();
    expectFree(ours, theirs);
  });

  test('upgradeable readers and writers are served in order of arrival', async () => {
    const { ours, theirs, thirds } = create();
    ours.writer.lock();
    const order: string[] = [];
    const waits = [
      theirs.upgradeable.lockAsync().then(() => {
        order.push('first');
        theirs.upgradeable.unlock();
      }),
      thirds.writer.lockAsync().then(() => {
        order.push('second');
        thirds.writer.unlock();
      }),
      theirs.upgradeable.lockAsync().then(() => {
        order.push('third');
        theirs.upgradeable.unlock();
      }),
    ];
    expect(ours.inspect().waitingWriters).toHaveLength(3);
    ours.writer.unlock();
    await Promise.all(waits);
    expect(order).toEqual(['first', 'second', 'third']);
    expectFree(ours, theirs, thirds);
  });

  test('run(), hold() and their async forms unlock whichever side the agent holds', async () => {
    const { ours, theirs } = create();
    ours.upgradeable.run(() => expect(ours.upgradeable.held).toBe(true));
    ours.upgradeable.run(() => ours.upgradeable.upgrade());
    await ours.upgradeable.runAsync(() => ours.upgradeable.upgradeAsync());
    const guard = ours.upgradeable.hold();
    expect([guard.held, theirs.upgradeable.tryHold()]).toEqual([true, null]);
    guard.release();
    ours.writer.run(() => expect(ours.writer.owned).toBe(true));
    await ours.writer.runAsync(() => expect(theirs.reader.tryLock()).toBe(false));
    expectFree(ours, theirs);
  });

  test('downgrade() of the lock makes a plain reader, and other agents may read upgradeably', () => {
    const { ours, theirs } = create();
    ours.upgradeable.lock();
    ours.upgradeable.upgrade();
    const guard = ours.downgrade();
    expect([ours.upgradeable.held, ours.reader.held, theirs.upgradeable.tryLock()]).toEqual([false, 1, true]);
    guard.release();
    theirs.upgradeable.unlock();
    expectFree(ours, theirs);
  });

  test('wrong calls throw a MisuseError and change nothing', async () => {
    const { ours, theirs } = create();
    for (const call of [
      () => ours.upgradeable.unlock(),
      () => ours.upgradeable.upgrade(),
      () => ours.upgradeable.tryUpgrade(),
      () => ours.upgradeable.downgrade(),
    ])
      expect(call).toThrow(MISUSE);
    await expect(ours.upgradeable.upgradeAsync()).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
    ours.upgradeable.lock();
    for (const call of [
      () => ours.upgradeable.lock(),
      () => ours.upgradeable.tryLock(Infinity),
      () => ours.writer.lock(),
      () => ours.upgradeable.downgrade(),
      () => theirs.upgradeable.unlock(),
      () => ours.free(),
      () => theirs.free(),
    ])
      expect(call).toThrow(MISUSE);
    for (const timeout of [-1, Number.NaN])
      for (const call of [() => ours.upgradeable.tryUpgrade(timeout), () => theirs.upgradeable.tryLock(timeout)])
        expect(call).toThrow(RangeError);
    await expect(ours.upgradeable.upgradeAsync({ timeout: -1 })).rejects.toThrow(RangeError);
    await expect(ours.upgradeable.upgradeAsync({ timeuot: 1 } as object)).rejects.toThrow('Unknown option');
    ours.reader.lock();
    for (const call of [() => ours.upgradeable.upgrade(), () => ours.upgradeable.tryUpgrade(5)])
      expect(call).toThrow('holds another read lock');
    ours.reader.unlock();
    expect([ours.upgradeable.held, ours.reader.held]).toEqual([true, 1]);
    ours.upgradeable.unlock();
    ours.reader.lock();
    expect(() => ours.upgradeable.lock()).toThrow(MISUSE);
    expect(() => ours.writer.lock()).toThrow(MISUSE);
    ours.reader.unlock();
    expectFree(ours, theirs);
    expect(() => RwLock.create({ arena }).upgradeable).toThrow(
      'has no upgradeable readers: create it with { upgradeable: true }.',
    );
    expect(() => RwLock.create({ arena, upgradeable: 1 as never })).toThrow(
      'upgradeable must be a boolean: received 1',
    );
  });

  test('free() returns the memory, and every later call throws a MisuseError', async () => {
    const { ours, theirs } = create();
    ours.free();
    for (const call of [
      () => theirs.upgradeable.lock(),
      () => theirs.upgradeable.tryLock(),
      () => theirs.upgradeable.unlock(),
      () => theirs.upgradeable.upgrade(),
      () => theirs.upgradeable.held,
      () => theirs.writer.lock(),
      () => theirs.writer.tryLock(),
      () => theirs.writer.unlock(),
      () => theirs.reader.lock(),
      () => theirs.free(),
    ]) {
      expect(call).toThrow("The read-write lock 'table' was freed");
    }
    for (const call of [
      () => theirs.upgradeable.lockAsync(),
      () => theirs.upgradeable.upgradeAsync(),
      () => theirs.writer.lockAsync(),
    ])
      await expect(call()).rejects.toThrow('was freed');
    expect(create().ours.handle.address).toBe(ours.handle.address);
  });

  test('a blocking call behind an async wait of the same agent throws a DeadlockError', async () => {
    const { ours, theirs } = create();
    theirs.writer.lock();
    const waits = [ours.reader.lockAsync()];
    expect(() => ours.upgradeable.lock()).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
    theirs.writer.unlock();
    await Promise.all(waits);
    ours.reader.unlock();
    expectFree(ours, theirs);
  });
});

test('every call of an agent that has left the arena throws', () => {
  const arena = Arena.create({ maxPages: 8 });
  const lock = RwLock.create({ arena, upgradeable: true });
  arena.leave();
  for (const call of [
    () => lock.upgradeable.lock(),
    () => lock.upgradeable.tryLock(),
    () => lock.upgradeable.unlock(),
    () => lock.upgradeable.upgrade(),
    () => lock.writer.lock(),
  ]) {
    try {
      call();
      throw new Error('No error came.');
    } catch (failure) {
      expect(hasCode(failure, 'SLUICE_MISUSE')).toBe(true);
    }
  }
});
