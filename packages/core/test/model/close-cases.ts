// Scenarios in which a semaphore is closed during other operations.

import { orFails } from './bodies.ts';
import type { Case, Model } from './case.ts';
import { World, type Body, type Core } from './world.ts';
import { CLOSE_MUTANTS } from './mutants.ts';

const orClosed = (body: Body): Body => orFails('SLUICE_CLOSED', body);

export function closeCases(core: Core): Case[] {
  const world = new World(core, { permits: [0], agents: 3, most: 1 });
  const wait: Body = orClosed(({ sem }) => sem.acquire());
  const waitTimed: Body = orClosed(({ sem }) => sem.tryAcquire(1, 1));
  const close: Body = ({ sem }) => sem.close();
  const make = (name: string, bodies: readonly Body[], preemptions?: number): Case => ({
    scenario: world.scenario(name, bodies, undefined, { final: (words) => world.checkGates(words) }),
    options: preemptions === undefined ? {} : { preemptions },
  });
  return [
    make('close() during a wait', [wait, close]),
    make('close() during a wait that may time out', [waitTimed, close]),
    make('close() during two waits', [wait, wait, close], 2),
    make('close() during a release', [wait, close, orClosed(({ sem }) => sem.release())], 2),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'close', entry: new URL('entry.ts', import.meta.url), cases: closeCases, mutants: CLOSE_MUTANTS },
];
