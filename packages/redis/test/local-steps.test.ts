// Compares the steps of the local engine with the script of the Redis engine, step by step: the same answers, and the
// same messages.

import { byDepth } from '@sluice/harness';
import { expect, test } from 'vitest';
import { FAST_ACQUIRE, FAST_RELEASE } from '../src/scripts/fast.ts';
import { SCRIPT } from '../src/scripts/script.ts';
import { LuaServer } from './model/lua-server.ts';
import { compare, LocalSteps, seenAnswers, type Run } from './model/local-steps.ts';

/** The fast paths write no clock. fast.model.ts compares them with the full operations. */
const FULL = SCRIPT.replace(FAST_RELEASE, '').replace(FAST_ACQUIRE, '');
const BASE = 'sl:{local}';
const STEPS = 400;

test('the local engine answers every step as the script does', async () => {
  expect(FULL.length).toBeLessThan(SCRIPT.length - 1000);
  const seeds = byDepth({ quick: 10, ci: 40, full: 200 });
  for (let seed = 1; seed <= seeds; seed++) {
    const server = await LuaServer.start(FULL);
    const script: Run = (ms, words) => {
      const { reply, messages } = server.call(ms, BASE, words);
      return {
        reply,
        messages: messages.map(([channel, text]) => `${channel.slice(`${BASE}:c:`.length)} ${text}`).sort(),
      };
    };
    expect(await compare(seed, STEPS, new LocalSteps().run, script)).toBe('');
    expect(server.violation).toBe('');
  }
  console.log(`${seeds * STEPS} steps`);
  console.log([...seenAnswers].map(([answer, n]) => `${answer} ${n}`).join(', '));
});
