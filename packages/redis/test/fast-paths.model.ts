// Tests that the fast paths of the script return the same replies as the full ones, send the same messages, and leave
// the same state.

import { byDepth, Random, soak } from '@sluice/harness';
import { expect, test } from 'vitest';
import { answerOf } from '../src/server/engine.ts';
import { FORMAT, SCRIPT } from '../src/scripts/script.ts';
import { FAST_ACQUIRE, FAST_RELEASE } from '../src/scripts/fast-paths.ts';
import { LuaServer } from './model/lua-server.ts';

const FULL = SCRIPT.replace(FAST_RELEASE, '').replace(FAST_ACQUIRE, '');
const BASE = 'sl:{model}';
const SESSIONS = ['a', 'b', 'c'];
const LEASE = '60000';
const CALLS = 400;
const SEEDS = soak > 1 ? 200 : byDepth({ quick: 2, ci: 5, full: 10 });

/** A grant in the field of its session, which only the fast path of an acquire writes. */
const FAST_GRANT = /^(\S+:p:\S+ [^:\s]+) (\d+):(\d+:\d+)$/;

interface Step {
  readonly ms: number;
  readonly args: readonly string[];
}

/** `permits`: of the primitive. A repetition requests as many permits as the first call. */
type Acquire = readonly [session: string, name: string, permits: number, seq: string, n: string];

interface Recording {
  readonly answers: readonly unknown[];
  /** The number of calls after which a grant of the fast path was held. */
  readonly fast: number;
}

/** Makes random calls of three sessions on primitives with one and with four permits. Many are repetitions. */
function steps(seed: number): Step[] {
  const random = new Random(seed);
  const attach = (session: string): string[] => ['attach', session, '1', LEASE, 'label', FORMAT];
  const issued: Acquire[] = [];
  const issue = (): Acquire => {
    const permits = random.pick([1, 4]);
    const each: Acquire = [
      random.pick(SESSIONS),
      `s:${permits}`,
      permits,
      String(issued.length + 1),
      String(random.between(1, permits)),
    ];
    issued.push(each);
    return each;
  };
  const old = (): Acquire => (issued.length === 0 ? issue() : random.pick(issued.slice(-5)));
  const generation = (): string => (random.chance(95) ? '1' : '0');
  const acquire = ([session, name, permits, seq, n]: Acquire): string[] => [
    'acquire',
    session,
    generation(),
    name,
    seq,
    n,
    random.chance(50) ? '1' : '0',
    String(permits),
    '0 0 0 0',
  ];
  const kinds: (() => string[])[] = [
    () => acquire(issue()),
    () => acquire(issue()),
    () => acquire(old()),
    () => {
      const [session, name, , seq] = old();
      return ['release', session, '1', name, seq, random.chance(80) ? '0' : '1'];
    },
    () => {
      const [session, name, , seq] = old();
      return ['release', session, '1', name, seq, '0'];
    },
    () => {
      const [session, name, , seq, n] = old();
      return ['cancel', session, generation(), name, seq, n];
    },
    () => {
      const [session, name, , seq, n] = old();
      return ['beat', session, generation(), LEASE, name, seq, n, random.pick(['0', '1'])];
    },
    () => ['look', random.pick(SESSIONS), '1', random.pick(['s:1', 's:4'])],
    () => (random.chance(10) ? ['detach', random.pick(SESSIONS), '1'] : attach(random.pick(SESSIONS))),
  ];
  const calls = [...SESSIONS.map(attach), ...Array.from({ length: CALLS }, () => random.pick(kinds)())];
  let ms = 1e6;
  return calls.map((args) => ({ ms: (ms += random.between(1, 20)), args }));
}

/**
 * Returns all fields, with each grant in a field of its own, and without the clock, which a release by the fast path
 * does not advance.
 */
function state(server: LuaServer): string[] {
  return server.dump
    .flatMap((line) => {
      if (/:T (real|log) /.test(line)) return [];
      const [, field, seq, grant] = FAST_GRANT.exec(line) ?? [];
      return seq === undefined ? [line] : [`${field} ${seq}`, `${field}:${seq} ${grant}`];
    })
    .sort();
}

async function record(script: string, calls: readonly Step[]): Promise<Recording> {
  const server = await LuaServer.start(script);
  let fast = 0;
  const answers = calls.map(({ ms, args }) => {
    const { reply, messages } = server.call(ms, BASE, args);
    expect(server.violation).toBe('');
    if (server.dump.some((line) => FAST_GRANT.test(line))) fast++;
    return { args, reply: answerOf(reply), messages, state: state(server) };
  });
  return { answers, fast };
}

test('the fast paths have the same effects as the full ones', async () => {
  expect(SCRIPT.length - FULL.length).toBe(FAST_ACQUIRE.length + FAST_RELEASE.length);
  const all = Array.from({ length: SEEDS }, (_, seed) => steps(seed));
  // Run one engine at a time.
  const full: Recording[] = [];
  for (const each of all) full.push(await record(FULL, each));
  let fast = 0;
  for (const [seed, each] of all.entries()) {
    const both = await record(SCRIPT, each);
    expect(both.answers).toEqual(full[seed]?.answers);
    fast += both.fast;
  }
  expect(full.map((each) => each.fast)).toEqual(all.map(() => 0));
  expect(fast).toBeGreaterThan((SEEDS * CALLS) / 20);
  console.log(`${SEEDS * CALLS} calls, a grant of the fast path was held after ${fast}`);
});
