// Compares the steps of the local engine with the script of the Redis engine, step by step: the same answers, and the
// same messages.

import { byDepth } from '@sluice/harness';
import { expect, test } from 'vitest';
import { FAST_ACQUIRE, FAST_RELEASE } from '../src/scripts/fast-paths.ts';
import { SCRIPT } from '../src/scripts/script.ts';
import { LuaServer } from './model/lua-server.ts';
import { compare, LocalSteps, seenAnswers, type Run } from './model/local-steps.ts';

/** The fast paths write no clock. fast-paths.model.ts compares them with the full operations. */
const FULL = SCRIPT.replace(FAST_RELEASE, '').replace(FAST_ACQUIRE, '');
const BASE = 'sl:{local}';
const STEPS = 400;

function runOn(server: LuaServer): Run {
  return (ms, words) => {
    const { reply, messages } = server.call(ms, BASE, words);
    return {
      reply,
      messages: messages.map(([channel, text]) => `${channel.slice(`${BASE}:c:`.length)} ${text}`).sort(),
    };
  };
}

async function run(script: string, seed: number): Promise<string> {
  const server = await LuaServer.start(script);
  const difference = await compare(seed, STEPS, new LocalSteps().run, runOn(server));
  expect(server.violation).toBe('');
  return difference;
}

test('the local engine answers every step as the script does', async () => {
  expect(FULL.length).toBeLessThan(SCRIPT.length - 1000);
  const seeds = byDepth({ quick: 10, ci: 40, full: 200 });
  for (let seed = 1; seed <= seeds; seed++) {
    expect(await run(FULL, seed)).toBe('');
  }
  console.log(`${seeds * STEPS} steps`);
  console.log([...seenAnswers].map(([answer, n]) => `${answer} ${n}`).join(', '));
});

test('a rate keeps its numbers if a change with other numbers would move it too far', async () => {
  const engines = [runOn(await LuaServer.start(FULL)), new LocalSteps().run];
  const adjust = (key: string, permits: string, burst: string): readonly string[] =>
    `adjust session 1 ${key} ${permits} -1 ${burst}`.split(' ').concat('0 1600000 0 1');
  for (const [words, reply] of [
    [['attach', 'session', '1', '1000', 'label', '3'], ['attached']],
    [adjust('y:1:x:key', '1', '3'), ['adjusted', '1600000', '0']],
    [adjust('y:1:x:key', '4000000', '4'), ['far']],
    [
      ['gauge', 'session', '1', 'y:1:x:key'],
      ['gauged', '3', '1600000', '1600000', '0', '0'],
    ],
    // Nor does it make a rate.
    [adjust('y:1:x:new', '4000000', '3'), ['far']],
    [
      ['gauge', 'session', '1', 'y:1:x:new'],
      ['gauged', '', '', '0', '0', '0'],
    ],
  ] as const)
    for (const step of engines) expect((await step(1_000_000, words)).reply).toEqual(reply);
});

/** Faults of the script at which the answers differ. */
const FAULTS: Readonly<Record<string, readonly [find: string, put: string]>> = {
  'a strict limit counts no start': ["'used', p[USED])\n  end", "'used', 0)\n  end"],
  'a strict limit has one start more': ['(place + 1) % -starts', '(place + 1) % (1 - starts)'],
  'a strict limit compares with the newest start': ["'@' .. (p[USED] or 0)", "'@' .. ((p[USED] or 0) - 1) % -starts"],
  'a job is done for later times, too': ['tonumber(at) <= tonumber(done)', 'tonumber(at) <= tonumber(done) + 1'],
  'a job is not done for the time of its run': ['tonumber(at) <= tonumber(done)', 'tonumber(at) < tonumber(done)'],
  'a job is a once': ["~= 'j:' or", "~= '' or"],
  'a job takes its time back': ['isDone(name, p[3], value)', 'nil'],
  'a strict limit waits longer than it has to': ['oldest + every - now))', 'now + every - oldest))'],
};

test.each(Object.entries(FAULTS))('a script is found out in which %s', async (_, [find, put]) => {
  expect(FULL.split(find)).toHaveLength(2);
  let found = '';
  for (let seed = 1; seed <= 40 && found === ''; seed++) found = await run(FULL.replace(find, put), seed);
  expect(found).toMatch(/^seed/);
});
