// Deaths around the async waits of one agent, of which only the first is asleep. Either the waiting agent dies or the
// agent that wakes it.

import { type Options, type Words } from '@sluice/model';
import { late, waits, type AsyncCore } from './async-cases.ts';
import { give, pass } from './bodies.ts';
import { reclaim } from './death-bodies.ts';
import { checkDead } from './death-cases.ts';
import { semaphoreAddress } from './places.ts';
import type { Case, Model } from './case.ts';
import { World, type Body, type Setup } from './world.ts';

const TWO_PREEMPTIONS: Options = { preemptions: 2 };

export function asyncDeathCases(core: AsyncCore): Case[] {
  const make = (name: string, setup: Setup, bodies: readonly Body[], mayCrash: number, least: number): Case => {
    const world = new World(core, { async: true, elements: 4, ...setup });
    const final = (words: Words, outcomes: readonly unknown[]): string | undefined => {
      const free = core.referenceKernel(words).balance(semaphoreAddress(0));
      if (free < least) return `it ends with ${free} free permits`;
      return world.checkGates(words) ?? checkDead(world, words, outcomes);
    };
    return {
      scenario: world.scenario(name, bodies, undefined, { mayCrash: [mayCrash], deaths: 1, final }),
      options: TWO_PREEMPTIONS,
    };
  };
  const none: Setup = { permits: [0], agents: 3, most: 4 };
  return [
    make('an agent with two async waits dies', { permits: [1], agents: 3 }, [waits({}, {}), pass(), reclaim(0)], 0, 1),
    make(
      'an agent with two async waits that link late dies',
      { permits: [1], agents: 3 },
      [late({}, {}), pass(), reclaim(0)],
      0,
      1,
    ),
    make(
      'an agent dies while it releases two permits to async waits that link late',
      none,
      [late({ keeps: true }, { keeps: true }), give(2), reclaimOr(give(2))],
      1,
      0,
    ),
    make(
      'an agent dies whose first of two async waits may be aborted',
      none,
      [waits({ ends: 'abort' }, {}), give(), reclaim(0)],
      0,
      1,
    ),
    make(
      'an agent dies while it releases two permits to two async waits',
      none,
      [waits({ keeps: true }, { keeps: true }), give(2), reclaimOr(give(2))],
      1,
      0,
    ),
    make('an agent dies while it closes two async waits', none, [waits({}, {}), close, reclaimOr(close)], 1, -2),
  ];
}

const close: Body = ({ sem }) => sem.close();

/** Performs `deed` if agent 1 died before it could. */
function reclaimOr(deed: Body): Body {
  return (actor) => {
    reclaim(1)(actor);
    if (actor.ctx.dead(1)) deed(actor);
  };
}

export const MODELS: readonly Model[] = [
  { name: 'async death', entry: new URL('async-entry.ts', import.meta.url), lowered: true, cases: asyncDeathCases },
];
