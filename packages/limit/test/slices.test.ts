// An agent of a limit has many granted waits at the limit's semaphore. They settle over several turns of the event
// loop. The place of the limit's waiting calls is among them.

import { Arena, Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';
import { busyFor } from '../../../tools/conformance/src/observe.ts';
import { contextOf } from '../../core/src/arena/arena.ts';
import { asLine } from '../../core/src/kernel/addresses.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { createLimit } from '../src/index.ts';
import { Stage, turns } from './support/gate.ts';

/** In ms: far more than the scene takes on a busy machine, so that the timeout elapses after the grant. */
const TIMEOUT = 1_000;

/** More waits than settle in one turn. */
const MANY = 300;

interface Scene {
  readonly stage: Stage;
  readonly calls: readonly Promise<unknown>[];
  /** The served waiters of another agent. They wait behind all waits of this agent. */
  readonly served: string[];
  /** Grants this many permits as another agent. The first granted waits of this agent then settle. */
  readonly grant: (count: number) => void;
}

/**
 * 'first' runs in the only slot. Behind it wait: this agent's own waits, one place for 'second' and 'third', then
 * another agent.
 */
async function crowd(timeout?: number): Promise<Scene> {
  const arena = Arena.create({ maxPages: 16 });
  const semaphore = Semaphore.create(1, { arena });
  const theirs = openAs(secondAgent(arena), semaphore.handle, (handle) => Semaphore.from(handle));
  const limit = createLimit(semaphore);
  const stage = new Stage();
  void limit(stage.play, 'first');
  for (let wait = 0; wait < MANY; wait++) void semaphore.acquireAsync();
  const calls = [limit.run(stage.play, { args: ['second'], timeout }), limit(stage.play, 'third')];
  const served: string[] = [];
  void theirs.acquireAsync().then(() => served.push('theirs'));
  await turns();
  expect([stage.running, served]).toEqual([['first'], []]);
  const { asyncWaits } = contextOf(arena).lineState(asLine(semaphore.handle.address), semaphore.handle.tag, {
    recorded: true,
  });
  const grant = (count: number): void => {
    theirs.release(count);
    asyncWaits.settle();
    expect([asyncWaits.goesOn, asyncWaits.size > 0]).toEqual([true, true]);
  };
  return { stage, calls, served, grant };
}

test('a call that ends while granted waits of its agent settle over several turns hands its slot to the waiter of another agent', async () => {
  const { stage, served, grant } = await crowd();
  grant(MANY + 1);
  await stage.end('first');
  expect([served, stage.running]).toEqual([['theirs'], ['second']]);
});

test('a call runs if its timeout elapses after its slot was granted, even if the grant settles in a later turn', async () => {
  const { stage, grant, calls } = await crowd(TIMEOUT);
  const settled = Promise.race(calls.map((call) => call.catch(String)));
  // Timers come before the next turn in which waits settle.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      grant(MANY + 1);
      busyFor(TIMEOUT + 10);
      resolve();
    });
  });
  await turns();
  expect(stage.running).toEqual(['first', 'second']);
  await stage.end('second');
  expect(await settled).toBe('second');
});
