import { asyncWaitSuite, type AwaitedThing } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Capacitor, Turnstile } from '../src/index.ts';
import type { Gate } from '../src/gates/gate.ts';

/** A gate with room for one, which another agent is inside. */
function occupied(make: (arena: Arena) => Gate, from: (handle: never) => Gate): AwaitedThing {
  const arena = Arena.create({ maxPages: 32 });
  const ours = make(arena);
  const theirs = openAs(secondAgent(arena), ours.handle as never, from);
  theirs.arrive();
  return { wait: (options) => ours.arriveAsync(options), grant: () => theirs.depart() };
}

asyncWaitSuite('Capacitor', () =>
  occupied(
    (arena) => Capacitor.create({ arena, bypassLimit: 1 }),
    (handle) => Capacitor.from(handle),
  ),
);
// An agent that has the turn comes in again.
asyncWaitSuite(
  'Turnstile',
  () =>
    occupied(
      (arena) => Turnstile.create({ arena }),
      (handle) => Turnstile.from(handle),
    ),
  { reentrant: true },
);
