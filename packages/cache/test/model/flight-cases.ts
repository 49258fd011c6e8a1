// Scenarios of the single flight of one key.

import type { Case, Model } from '../../../core/test/model/case.ts';
import { FLIGHT_MUTANTS } from './flight-mutants.ts';
import {
  changes,
  flightCase,
  get,
  recover,
  type FlightBody,
  type FlightCore,
  type FlightPlan,
} from './flight-world.ts';

export function flightCases(core: FlightCore): Case[] {
  const make = (
    name: string,
    computes: number,
    preemptions: number,
    bodies: readonly FlightBody[],
    more: Partial<FlightPlan> = {},
  ): Case => flightCase(core, { name, computes, bodies, options: { preemptions }, ...more });
  return [
    make('two misses compute once', 1, 3, [get(), get()]),
    make('three misses compute once', 1, 2, [get(), get(), get()]),
    make('a value is set while two calls miss', 1, 2, [get(), changes('set'), get()]),
    make('a value is deleted while two calls miss', 2, 2, [get(), changes('delete'), get()]),
    make('the cache is cleared while two calls miss', 2, 2, [get(), changes('clear'), get()]),
    make('a value is computed and deleted, and computed again', 3, 2, [get({ rounds: 3 }), changes('delete')]),
    make('a function fails while another call waits', 1, 2, [get({ fails: true }), get()]),
    make('the agent that computes may die', 2, 2, [get(), get(), recover(0)], { mayCrash: [0] }),
    make('an agent may die while a value is set', 2, 1, [get(), changes('set'), get(), recover(0)], { mayCrash: [0] }),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'single flight of a cache',
    entry: new URL('flight-entry.ts', import.meta.url),
    cases: flightCases,
    mutants: FLIGHT_MUTANTS,
  },
];
