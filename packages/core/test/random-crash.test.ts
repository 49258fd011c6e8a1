import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { RandomAgents } from './support/random-agents.ts';

const EPISODES = scale(60);
const CHECKS = 6;
const ACTS = 25;

test.each(['wasm', 'js'] as const)(
  'agents that act and die at random within each other’s steps lose nothing (%s)',
  { timeout: scale(300_000) },
  async (engine) => {
    const session = new Session(`random deaths (${engine})`);
    let [acts, deaths] = [0, 0];
    for (let episode = 0; episode < EPISODES; episode++) {
      const randomAgents = new RandomAgents(engine, session.random, session.random.pick([1, 4, 16]), [2, 5, 3]);
      for (let check = 0; check < CHECKS; check++) {
        await randomAgents.act(ACTS);
        await randomAgents.check();
      }
      await randomAgents.end();
      acts += randomAgents.acts;
      deaths += randomAgents.deaths;
    }
    session.done(acts, `${deaths} deaths`);
    expect(deaths).toBeGreaterThan(EPISODES);
  },
);
