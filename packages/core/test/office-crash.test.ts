// Crashes of agents that use mutexes, read-write locks and events. With the engine 'js' a death within a step can lose a lock or a
// signal; it never makes one.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { Region } from '../src/index.ts';
import { crashSuite } from './support/crash-suite.ts';
import { eventOperations } from './support/crash-events.ts';
import { officeHands } from './support/crash-hands.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import { rwOperations } from './support/crash-rw-locks.ts';
import { outlives, Stage } from './support/crash-stage.ts';

crashSuite({ operations: [...mutexOperations, ...eventOperations, ...rwOperations], hands: officeHands });

test('an agent that dies while it extends the heap is recovered, and so are those that die later', async () => {
  const { life, victim, reclaimer, third } = new Stage({}, 'js');
  expect(await outlives(life, () => Region.create(100, { arena: victim.arena }), ['inner'], 1)).toBe(false);
  expect(reclaimer.arena.reclaim(victim.context.id)).toMatchObject({ agent: victim.context.id });
  third.life.die();
  expect(reclaimer.arena.reclaimDead()).toMatchObject([{ agent: third.context.id }]);
});
