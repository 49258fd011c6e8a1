// Cases of a limit that sheds calls: agents make calls, abort them and die, with few places for the waiting ones.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../../core/test/model/async-loop.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import { recoverOnce } from '../../../../core/test/model/death-bodies.ts';
import { semaphoreAddress } from '../../../../core/test/model/places.ts';
import { WAITING_PLACES_MUTANTS } from './waiting-places-mutants.ts';
import {
  hasPlace,
  WaitingPlacesWorld,
  waitingOf,
  type Plan,
  type WaitingPlacesActor,
  type WaitingPlacesBody,
  type WaitingPlacesCore,
} from './waiting-places-world.ts';

const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

interface Manner {
  readonly count?: number;
  /** Whether the calls may be aborted while they wait. */
  readonly mayAbort?: boolean;
}

/** Makes calls, all at once. Each runs, is shed, or is aborted. */
const calls =
  ({ count = 1, mayAbort = false }: Manner = {}): WaitingPlacesBody =>
  (actor) => {
    const { ctx } = actor;
    const loop = new AsyncLoop(ctx);
    let over = 0;
    loop.run(
      () => {
        for (let n = 0; n < count; n++) {
          const signal = mayAbort ? loop.mayAbort(new ModelSignal()) : undefined;
          makeCall(actor, signal, () => (over += 1));
        }
      },
      () => over === count,
    );
  };

/** Makes a call as `LimitCalls.call` does. Calls `ended` at its end. */
function makeCall(actor: WaitingPlacesActor, signal: ModelSignal | undefined, ended: () => void): void {
  const { ctx, context, waitingPlacesCore, waitingPlaces, queue, slots, shed, noteWaiting } = actor;
  const run = (): void => {
    ctx.step('while it runs');
    queue.passOn(slots);
    ended();
  };
  if (queue.isEmpty && slots.tryTake()) {
    run();
    return;
  }
  const counts = { active: 0, pending: 0 };
  new Promise<void>((begin, reject) => {
    const call = new waitingPlacesCore.WaitingCall(counts, begin, reject, 0);
    call.stop = noteWaiting;
    signal?.addEventListener('abort', () => {
      if (counts.pending === 0 || queue.isGranted(call, slots) === true) return;
      queue.remove(call, slots);
      const reason = signal.reason as Error;
      reject(reason);
    });
    call.wait(false);
    // If all waiters of the line have their slots, so has the only call of this queue.
    const isGranted = queue.size === 1 && hasPlace(queue.first) && context.kernel.balance(semaphoreAddress(0)) >= 0;
    const before = shed();
    const failure = waitingPlaces.enter(call, queue);
    noteWaiting();
    ctx.assert(!(isGranted && shed() > before), 'a call was shed although the one that waited had its slot');
    if (failure === undefined) return;
    call.left();
    reject(failure);
  }).then(() => {
    queue.arriving -= 1;
    run();
  }, ended);
}

/** Recovers the dead agent, and makes calls then. */
const bury =
  (victim: number, manner: Manner = {}): WaitingPlacesBody =>
  (actor) => {
    const { ctx } = actor;
    if (ctx.waitForDeath(victim)) {
      // Its calls do not wait any more. Their places come back with the recovery.
      ctx.words.store32(waitingOf(victim), 0);
      recoverOnce(actor, victim);
    }
    calls(manner)(actor);
  };

export function waitingPlacesCases(core: WaitingPlacesCore): Case[] {
  const make = (
    name: string,
    places: number,
    sheds: Plan['sheds'],
    bodies: readonly WaitingPlacesBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new WaitingPlacesWorld(core, { name, places, sheds, bodies, options, ...more }).case;
  const first = { mayCrash: [0] };
  const two = { count: 2 };
  const three = { count: 3 };
  return [
    make('two agents make two calls each, and the newest is shed', 1, 'newest', [calls(two), calls(two)], TWO),
    make('two agents make two calls each, and the oldest is shed', 1, 'oldest', [calls(two), calls(two)], TWO),
    make('two agents make three calls each, and the oldest is shed', 2, 'oldest', [calls(three), calls(three)], ONE),
    make('three agents make calls, and the oldest is shed', 1, 'oldest', [calls(two), calls(two), calls()], FEW),
    make(
      'calls may be aborted, and the oldest is shed',
      1,
      'oldest',
      [calls({ count: 2, mayAbort: true }), calls(two)],
      FEW,
    ),
    make(
      'calls may be aborted, and the newest is shed',
      1,
      'newest',
      [calls({ count: 2, mayAbort: true }), calls(two)],
      FEW,
    ),
    make('two agents make calls with two slots', 1, 'newest', [calls(two), calls(two)], ONE, { slots: 2 }),
    make('death of an agent with waiting calls', 1, 'newest', [calls(two), calls(), bury(0, two)], FEW, first),
    make('death of an agent that sheds its calls', 1, 'oldest', [calls(three), calls(), bury(0, two)], FEW, first),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'shedding',
    entry: new URL('entry.ts', import.meta.url),
    lowered: true,
    cases: waitingPlacesCases,
    mutants: WAITING_PLACES_MUTANTS,
  },
];
