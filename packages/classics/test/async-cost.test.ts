import { Arena } from '@sluice/core';
import { contextOf, type KindSteps } from '@sluice/core/internal';
import { expect, test } from 'vitest';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../src/index.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS } from '../src/kinds.ts';

const WAITS = 300;

test.each([
  { Kind: LifoLock, kind: LIFO },
  { Kind: McsLock, kind: MCS },
  { Kind: ReciprocatingLock, kind: RECIPROCATING },
  { Kind: TicketLock, kind: TICKET },
  { Kind: TtsLock, kind: TTS },
])(
  '$Kind.name: the number of polls at an unlock does not grow with the number of async waits',
  async ({ Kind, kind }) => {
    const arena = Arena.create({ maxPages: 64 });
    const steps = contextOf(arena).load(kind).steps as { -readonly [Step in keyof KindSteps]: KindSteps[Step] };
    const { poll } = steps;
    let polls = 0;
    steps.poll = (...args) => {
      polls += 1;
      return poll(...args);
    };
    const lock = Kind.create({ arena });
    lock.lock();
    const waits = Array.from({ length: WAITS }, () => lock.lockAsync().then(() => lock.unlock()));
    lock.unlock();
    await Promise.all(waits);
    expect(polls).toBeGreaterThan(0);
    expect(polls).toBeLessThan(10 * WAITS);
  },
);
