// Tests every async call that waits more than once. Aborts it in each gap: after each event, and after each further job
// of that turn. A signal dispatches one event, so a call between two waits must read `aborted`.

import { expect, test } from 'vitest';
import { secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Arena, hasCode } from '../../../packages/core/src/index.ts';
import { ending, rejection, turn } from '../../conformance/src/observe.ts';
import { SEVERAL_WAITS, type Waiting } from './several-waits.ts';

/** More jobs than a call needs from one of its waits to the next. */
const JOBS = 12;
/** The number of turns in which the wake-ups of an event arrive. */
const TURNS = 4;

async function turns(): Promise<void> {
  for (let n = 0; n < TURNS; n++) await turn();
}

/**
 * Makes the call, then lets the events come one by one. `at`: called at each moment, with its number. Returns how many
 * there were.
 */
async function drive(
  { call, events }: Waiting,
  options: object,
  use: (made: Promise<unknown>) => void,
  at: (moment: number) => void,
): Promise<number> {
  let moment = 0;
  for (const event of [() => use(call(options)), ...events]) {
    event();
    for (let job = 0; job <= JOBS; job++) {
      at(moment++);
      await Promise.resolve();
    }
    await turns();
  }
  return moment;
}

function scene(): readonly [Arena, Arena] {
  const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });
  return [arena, secondAgent(arena)];
}

test.each(Object.entries(SEVERAL_WAITS))('%s: an abort in any gap between its waits ends it', async (_name, make) => {
  const agents = scene();
  let moments = 1;
  for (let chosen = 0; chosen < moments; chosen++) {
    const waiting = make(...agents);
    const controller = new AbortController();
    let outcome: Promise<unknown> = Promise.resolve();
    moments = await drive(
      waiting,
      { signal: controller.signal },
      (made) => void (outcome = rejection(made)),
      (moment) => {
        if (moment === chosen) controller.abort(`moment ${chosen}`);
      },
    );
    expect(await outcome).toBe(`moment ${chosen}`);
    waiting.check?.();
  }
});

test.each(Object.entries(SEVERAL_WAITS))('%s waits forever without an abort', async (_name, make) => {
  const waiting = make(...scene());
  const controller = new AbortController();
  let end: unknown;
  let outcome: Promise<unknown> = Promise.resolve();
  await drive(
    waiting,
    { signal: controller.signal },
    (made) => void (outcome = ending(made).then((how) => (end = how))),
    () => undefined,
  );
  expect(end).toBeUndefined();
  controller.abort('now');
  expect(await outcome).toEqual({ reason: 'now' });
});

const TIMEOUT_MS = 60;

test.each(Object.entries(SEVERAL_WAITS))(
  '%s: one timeout bounds all its waits, and its error names that timeout',
  async (_name, make) => {
    const waiting = make(...scene());
    if (waiting.untimed === true) return;
    let outcome: Promise<unknown> = Promise.resolve();
    await drive(
      waiting,
      { timeout: TIMEOUT_MS },
      (made) => void (outcome = rejection(made)),
      () => undefined,
    );
    const failure = await outcome;
    expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
    expect((failure as Error).message).toContain(`${TIMEOUT_MS} ms`);
  },
);
