// Tests agents that are killed between two steps, or asleep.

import { expect, test } from 'vitest';
import { DIED, explore, type Context, type Scenario } from '../src/index.ts';
import { mustFail, mustPass } from './verdict.ts';

const PERMITS = 0;
const RECORD = 4;

/** One agent takes the only permit and returns it. Another agent returns it if the first has died with it. */
function reclaiming(name: string, take: (ctx: Context) => void): Scenario {
  return {
    name,
    bytes: 8,
    setup: (words) => {
      words.store32(PERMITS, 1);
    },
    agents: [
      {
        name: 'holder',
        body: (ctx) => {
          take(ctx);
          ctx.step('release');
          ctx.words.store32(RECORD, 0);
          ctx.words.add32(PERMITS, 1);
        },
      },
      {
        name: 'reclaimer',
        body: (ctx) => {
          if (ctx.waitForDeath(0) && ctx.words.load32(RECORD) === 1) ctx.words.add32(PERMITS, 1);
        },
      },
    ],
    mayCrash: [0],
    final: (words) => words.load32(PERMITS) === 1 || 'the permit is lost',
    label: (address) => ['permits', 'record'][address / 4],
  };
}

test('a permit is lost with its holder if the record is written one step late', () => {
  const trace = mustFail(
    reclaiming('record one step late', (ctx) => {
      ctx.step('take');
      ctx.words.add32(PERMITS, -1);
      ctx.step('record');
      ctx.words.store32(RECORD, 1);
    }),
    'assertion',
  );
  expect(trace).toContain('is killed before [record]');
  expect(trace).toContain('waitForDeath(holder) = true');
});

test('a permit is not lost if the record is written in the step that takes it', () => {
  mustPass(
    reclaiming('record in the same step', (ctx) => {
      ctx.step('take');
      ctx.words.store32(RECORD, 1);
      ctx.words.add32(PERMITS, -1);
    }),
  );
});

test('a notification is lost with the sleeper that would have got it', () => {
  const sleep = (ctx: Context): void => {
    ctx.step('sleep');
    if (ctx.words.load32(0) === 0) ctx.parking.wait(0, 0);
    ctx.parking.notify(0, 1);
  };
  const scenario: Scenario = {
    name: 'notified, then killed',
    bytes: 4,
    agents: [
      { name: 'first', body: sleep },
      { name: 'second', body: sleep },
      {
        name: 'waker',
        body: ({ words, parking }) => {
          words.store32(0, 1);
          parking.notify(0, 1);
        },
      },
    ],
  };
  mustPass(scenario);
  const trace = mustFail({ ...scenario, mayCrash: [0, 1] }, 'deadlock');
  expect(trace).toContain('is killed before it is awake');
});

test('the explorer tries each set of deaths within the limit, and none beyond', () => {
  const endings = (deaths: number): string[] => {
    const seen = new Set<string>();
    const body = (ctx: Context): string => {
      ctx.step('only');
      return 'alive';
    };
    explore({
      name: `${deaths} deaths`,
      bytes: 4,
      agents: [0, 1, 2].map((index) => ({ name: `agent ${index}`, body })),
      mayCrash: [0, 1],
      deaths,
      final: (_, outcomes) => {
        seen.add(outcomes.map((outcome) => (outcome === DIED ? '-' : '+')).join(''));
      },
    });
    return [...seen].sort();
  };
  expect(endings(0)).toEqual(['+++']);
  expect(endings(1)).toEqual(['+++', '+-+', '-++']);
  expect(endings(2)).toEqual(['+++', '+-+', '-++', '--+']);
});

test('waitForDeath() returns false when the agent returns alive', () => {
  const answers = new Set<unknown>();
  explore({
    name: 'the fate of another',
    bytes: 4,
    agents: [
      { name: 'may crash', body: (ctx) => ctx.step('only') },
      { name: 'watcher', body: (ctx) => `${ctx.dead(0)} ${ctx.waitForDeath(0)} ${ctx.dead(0)}` },
    ],
    mayCrash: [0],
    final: (_, outcomes) => void answers.add(outcomes[1]),
  });
  expect([...answers].sort()).toEqual(['false false false', 'false true true', 'true true true']);
});
