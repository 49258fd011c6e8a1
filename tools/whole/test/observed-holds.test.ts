// Tests that tools are told of each hold once, for the locks and semaphores of all packages.

import { expect, test } from 'vitest';
import {
  AddressSemaphore,
  ChainSemaphore,
  LifoLock,
  LightweightSemaphore,
  LocationSemaphore,
  McsLock,
  MonitorSemaphore,
  MultilaneSemaphore,
  ReciprocatingLock,
  TicketLock,
  TicketSemaphore,
  TtsLock,
  WaitingArraySemaphore,
} from '../../../packages/classics/src/index.ts';
import { newArena, testHoldsOfLocks, testHoldsOfPermits } from '../../../packages/inspect/test/support/holds.ts';
import { Recorder } from '../../../packages/inspect/test/support/recorder.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';

testHoldsOfLocks([
  { what: 'KeyedMutex', create: (arena) => KeyedMutex.create({ arena, name: 'x' }).at('17'), shown: 'x/17' },
  { what: 'TicketLock', create: (arena) => TicketLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'TtsLock', create: (arena) => TtsLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'McsLock', create: (arena) => McsLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'LifoLock', create: (arena) => LifoLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'ReciprocatingLock', create: (arena) => ReciprocatingLock.create({ arena, name: 'x' }), shown: 'x' },
]);

testHoldsOfPermits({
  PrioritySemaphore,
  ResizableSemaphore,
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
});

test('each call of a keyed mutex with a key is one hold of the key', async () => {
  await Recorder.during(async (recorder) => {
    const keys = KeyedMutex.create({ arena: newArena(), name: 'x' });
    const one = ['holds 1 of x/17', 'released 1 of x/17'];
    keys.lock('17');
    keys.unlock('17');
    expect(recorder.taken()).toEqual(one);
    expect(keys.tryLock('17')).toBe(true);
    keys.unlock('17');
    keys.run('17', () => undefined);
    await keys.lockAsync('17');
    keys.unlock('17');
    await keys.runAsync('17', () => undefined);
    keys.hold('17').release();
    expect(recorder.taken()).toEqual([...one, ...one, ...one, ...one, ...one]);
    expect(recorder.open).toBe(0);
  });
});
