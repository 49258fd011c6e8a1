import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { RandomOfficeAgents } from './support/random-office-agents.ts';

const EPISODES = scale(40);
const CHECKS = 6;
const ACTS = 25;

test.each(['wasm', 'js'] as const)(
  'agents that act and die at random within each other’s steps at box offices lose nothing (%s)',
  { timeout: scale(300_000) },
  async (engine) => {
    const session = new Session(`random deaths at box offices (${engine})`);
    let [acts, deaths] = [0, 0];
    const entries = new Map<string, number>();
    for (let episode = 0; episode < EPISODES; episode++) {
      const randomAgents = new RandomOfficeAgents(engine, session.random, session.random.pick([1, 4, 16]));
      try {
        for (let check = 0; check < CHECKS; check++) {
          await randomAgents.act(ACTS);
          await randomAgents.check();
        }
        await randomAgents.end();
      } catch (failure) {
        throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
      }
      acts += randomAgents.acts;
      deaths += randomAgents.deaths;
      for (const [what, count] of Object.entries(randomAgents.entries))
        entries.set(what, (entries.get(what) ?? 0) + count);
    }
    session.done(acts, `${deaths} deaths; ${[...entries].map(([what, count]) => `${what} ${count}`).join(', ')}`);
    expect(deaths).toBeGreaterThan(EPISODES);
    expect(Math.min(...entries.values())).toBeGreaterThan(EPISODES / 2);
  },
);
