// Tests deaths around a thousand async waits, of which only the first sleeps. Either the waiting agent dies or the
// agent that releases the permits.

import { byDepth } from '@sluice/harness';
import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { compact } from '../src/agent/compaction.ts';
import { tidy } from '../src/recovery/claim-dead-agent.ts';
import type { Engine } from '../src/kernel/kernel.ts';
import { ALL_DEEDS } from './support/crash-run.ts';
import { outlives, Stage } from './support/crash-stage.ts';

const WAITS = 1000;
/** The number of deaths per test, spread over all deeds of the victim. */
const DEATHS = byDepth({ quick: 6, ci: 12, full: 60 });
const WORLD = { world: { pages: 16, buckets: 16 } };

/** A thousand waits settle in several turns of the event loop. */
async function settleAll(stage: Stage): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await stage.settle();
}

/**
 * Kills the victim at many points of the act that `prepare` returns, each time in a new world. Recovers it after each
 * death.
 */
async function dieHereAndThere(
  engine: Engine,
  prepare: (stage: Stage) => { readonly act: () => unknown; readonly finish: () => Promise<void> },
): Promise<void> {
  let deeds = 0;
  for (let death = DEATHS; death >= 0; death--) {
    const stage = new Stage(WORLD, engine);
    const { act, finish } = prepare(stage);
    // Let it survive first, to count its deeds.
    const last = death === DEATHS ? Infinity : Math.floor((deeds * death) / DEATHS);
    const lived = await outlives(stage.life, act, ALL_DEEDS, last);
    expect(lived).toBe(death === DEATHS);
    deeds = Math.max(deeds, stage.life.deeds.length);
    stage.life.die();
    expect(stage.reclaimer.arena.reclaimDead().map(({ agent }) => agent)).toEqual([stage.victim.context.id]);
    await settleAll(stage);
    await finish();
    const { context, arena } = stage.living;
    tidy(context);
    compact(context);
    expect(stage.shadowUsers.map(({ sem }) => sem.available)).toEqual(stage.shadowUsers.map(({ permits }) => permits));
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  }
  expect(deeds).toBeGreaterThan(DEATHS);
}

test.each(['wasm', 'js'] as const)(
  'when an agent with 1,000 async waits dies at many points, the waits of another agent between them get their permits (%s)',
  async (engine) => {
    await dieHereAndThere(engine, (stage) => {
      const { ours, theirs } = stage.semaphore(2);
      ours.take(2);
      ours.wait(1);
      const act = async (): Promise<void> => {
        for (let wait = 0; wait < WAITS; wait++) {
          theirs
            .acquireAsync(1 + (wait % 2), { ref: false })
            .then(() => theirs.release(1 + (wait % 2)))
            .catch(() => undefined);
          if (wait === WAITS / 2) ours.wait(2, 1);
        }
        ours.wait(1);
        // Two permits pass through the line, turn by turn.
        ours.giveBack(2);
        await settleAll(stage);
        await settleAll(stage);
      };
      return { act, finish: () => ours.finish(() => settleAll(stage)) };
    });
  },
);

test.each(['wasm', 'js'] as const)(
  'when an agent dies at many points of a release for 1,000 async waits of another agent, all of them get their permits (%s)',
  async (engine) => {
    await dieHereAndThere(engine, (stage) => {
      const { ours, theirs } = stage.semaphore(WAITS);
      theirs.acquire(WAITS);
      for (let wait = 0; wait < WAITS; wait++) ours.wait(1);
      const finish = async (): Promise<void> => {
        expect(ours.held).toBe(WAITS);
        await ours.finish(() => settleAll(stage));
      };
      return { act: () => theirs.release(WAITS), finish };
    });
  },
);
