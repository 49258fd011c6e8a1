// Two agents of one thread: while one runs, the other does not. The clock is the test's own.

import { Arena } from '@sluice/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { TURN_MS } from '../../core/src/locks/turn-length.ts';
import { Turnstile, type TurnstileOptions } from '../src/index.ts';
import { createSides, setLimit, type Sides } from './support/turnstiles.ts';
import { Visits } from './support/visits.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

/** More passes than any turn allows: a loop that reaches this number would not end. */
const ENDLESS = 10_000;

const NOT_INSIDE = expect.objectContaining({ code: 'SLUICE_MISUSE', name: 'MisuseError' }) as Error;

let clock = 0;

beforeEach(() => {
  clock = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(['wasm', 'js'] as const)('Turnstile (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 4 } });
  const other = secondAgent(arena);
  const [us, them] = [arena.agentId, other.agentId];
  const create = (options: TurnstileOptions = {}): Sides => createSides(arena, other, options);

  /** Goes out and comes back until that fails. Each pass takes `passMs`. Returns how often it came back. */
  function runOn({ ours }: Sides, passMs: number): number {
    for (let passes = 0; ; passes++) {
      expect(passes).toBeLessThan(ENDLESS);
      clock += passMs;
      ours.depart();
      if (!ours.tryArrive()) return passes;
    }
  }

  test('depart() without waiters leaves the turnstile free for all', () => {
    const { ours, theirs } = create();
    for (const [gate, agent] of [
      [ours, us],
      [theirs, them],
      [ours, us],
    ] as const) {
      expect([gate.empty, gate.tryArrive()]).toEqual([true, true]);
      expect([gate.empty, gate.inspect().agentInside]).toEqual([false, agent]);
      gate.depart();
      gate.arrive();
      gate.depart();
      expect(gate.inspect().agentInside).toBe(0);
    }
  });

  test('the turnstile admits one agent at a time, with any number of its tasks', () => {
    // A timeout needs the real clock.
    vi.restoreAllMocks();
    const { ours, theirs } = create();
    for (let times = 0; times < 3; times++) ours.arrive();
    expect([theirs.tryArrive(), theirs.tryArrive(5)]).toEqual([false, false]);
    for (let times = 0; times < 3; times++) {
      expect(theirs.tryArrive()).toBe(false);
      ours.depart();
    }
    expect(theirs.tryArrive()).toBe(true);
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
    theirs.depart();
  });

  test('an agent that departs while others wait can come back B times, then the next waiter enters', async () => {
    const sides = create();
    const { ours, theirs } = sides;
    const visits = new Visits();
    setLimit(ours, 20);
    ours.arrive();
    visits.come(theirs, 'theirs');
    expect(runOn(sides, TURN_MS / 100)).toBe(20);
    // The waiter is being admitted.
    expect([ours.inspect().agentInside, ours.empty]).toEqual([them, false]);
    expect(await visits.now()).toEqual(['theirs']);
    expect(ours.inspect().agentInside).toBe(them);
    theirs.depart();
    expect(ours.empty).toBe(true);
  });

  test('a turn ends after half a millisecond, even if passes are left', async () => {
    const sides = create();
    const visits = new Visits();
    sides.ours.arrive();
    visits.come(sides.theirs, 'theirs');
    expect(runOn(sides, TURN_MS / 8)).toBe(8);
    expect(await visits.now()).toEqual(['theirs']);
    sides.theirs.depart();
  });

  test('an agent whose turn was cut short gets a turn of 5/4 B passes afterwards, and no longer one', async () => {
    const sides = create();
    const { ours, theirs } = sides;
    const passMs = (0.8 * TURN_MS) / 100;
    setLimit(ours, 100);
    for (let cut = 0; cut < 5; cut++) {
      const visits = new Visits();
      ours.arrive();
      visits.come(theirs, 'theirs');
      ours.depart();
      expect(await visits.now()).toEqual(['theirs']);
      theirs.depart();
    }
    const visits = new Visits();
    ours.arrive();
    visits.come(theirs, 'theirs');
    expect(runOn(sides, passMs)).toBe(125);
    expect(await visits.now()).toEqual(['theirs']);
    theirs.depart();
  });

  test('waiters enter in order of arrival', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    ours.arrive();
    for (const name of ['first', 'second', 'third']) visits.come(name === 'second' ? ours : theirs, name);
    expect(await visits.now()).toEqual([]);
    ours.depart();
    expect(await visits.now()).toEqual(['first']);
    theirs.depart();
    expect(await visits.now()).toEqual(['first', 'second']);
    ours.depart();
    expect(await visits.now()).toEqual(['first', 'second', 'third']);
    theirs.depart();
    expect(ours.empty).toBe(true);
  });

  test('a waiter, async or blocking, enters at once when an agent departs and does not come back', async () => {
    const { ours, theirs } = create();
    for (const block of [false, true]) {
      const visits = new Visits();
      const controller = new AbortController();
      ours.arrive();
      visits.come(theirs, 'theirs', { signal: controller.signal });
      ours.depart();
      expect(ours.inspect()).toMatchObject({ agentInside: 0, waiters: [{ agent: them }] });
      expect(ours.empty).toBe(false);
      if (block) {
        // The turnstile is free: the waiter gets it before the abort.
        controller.abort();
      }
      expect(await visits.now()).toEqual(['theirs']);
      expect(ours.inspect().agentInside).toBe(them);
      expect(ours.tryArrive()).toBe(false);
      theirs.depart();
    }
  });

  test('an agent that arrives again after its turn queues behind the waiters', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    ours.arrive();
    visits.come(theirs, 'theirs');
    ours.depart();
    expect(await visits.now()).toEqual(['theirs']);
    visits.come(ours, 'late');
    expect(await visits.now()).toEqual(['theirs']);
    theirs.depart();
    expect(await visits.now()).toEqual(['theirs', 'late']);
    ours.depart();
  });

  test('an agent never enters in the turn of another agent, even if the turnstile was just free', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    ours.arrive();
    visits.come(theirs, 'theirs');
    ours.depart();
    const stranger = openAs(secondAgent(arena), ours.handle, (handle) => Turnstile.from(handle));
    expect([stranger.tryArrive(), stranger.tryArrive()]).toEqual([false, false]);
    visits.come(stranger, 'stranger');
    expect(ours.inspect().waiters.map(({ agent }) => agent)).toEqual([them, stranger.arena.agentId]);
    expect(ours.tryArrive()).toBe(true);
    ours.depart();
    expect(await visits.now()).toEqual(['theirs']);
    theirs.depart();
    expect(await visits.now()).toEqual(['theirs', 'stranger']);
    stranger.depart();
  });

  test('an async task of the agent inside enters beside it, and queues while other agents wait', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    ours.arrive();
    visits.come(ours, 'second');
    expect(await visits.now()).toEqual(['second']);
    visits.come(theirs, 'theirs');
    visits.come(ours, 'third');
    expect(await visits.now()).toEqual(['second']);
    expect(ours.inspect().waiters.map(({ agent }) => agent)).toEqual([them, us]);
    ours.depart();
    expect(ours.inspect().agentInside).toBe(us);
    ours.depart();
    expect(await visits.now()).toEqual(['second', 'theirs']);
    theirs.depart();
    expect(await visits.now()).toEqual(['second', 'theirs', 'third']);
    ours.depart();
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
  });

  test('an aborted wait delays no other agent', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    const [first, second] = [new AbortController(), new AbortController()];
    ours.arrive();
    visits.come(theirs, 'early', { signal: first.signal });
    visits.come(theirs, 'aborted', { signal: second.signal });
    visits.come(theirs, 'stays');
    for (const controller of [first, second]) controller.abort('reason');
    expect(await visits.now()).toEqual([]);
    expect(visits.failures).toEqual(['reason', 'reason']);
    await expect(theirs.arriveAsync({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect([visits.inside, ours.inspect().waiters.length]).toEqual([[], 1]);
    ours.depart();
    expect(await visits.now()).toEqual(['stays']);
    theirs.depart();
    expect(arena.inspect().elements.waiting).toBe(0);
  });

  test('slow passes decrease B, and fast passes increase it again', async () => {
    const sides = create();
    const { ours, theirs } = sides;
    const takeTurn = async (passMs: number): Promise<void> => {
      const visits = new Visits();
      ours.arrive();
      visits.come(theirs, 'theirs');
      runOn(sides, passMs);
      expect(await visits.now()).toEqual(['theirs']);
      theirs.depart();
    };
    const limits = [ours.bypassLimit];
    for (let turns = 0; turns < 400 && ours.bypassLimit > 10; turns++) {
      await takeTurn(0.6);
      limits.push(ours.bypassLimit);
    }
    expect(limits.at(-1)).toBeLessThanOrEqual(10);
    expect(limits.every((limit, index) => limit >= 1 && limit <= (limits[index - 1] ?? limit))).toBe(true);
    setLimit(ours, 1);
    for (let turns = 0; turns < 400 && ours.bypassLimit === 1; turns++) await takeTurn(0);
    expect(ours.bypassLimit).toBeGreaterThan(1);
  });

  test('inspect() reports which agent is inside, and the waiters', async () => {
    const { ours, theirs } = create({ name: 'gate' });
    const report = { kind: 'turnstile', name: 'gate', bypassLimit: 1000, agentInside: 0, waiters: [], abandoned: 0 };
    expect([ours.inspect(), theirs.inspect(), theirs.name, ours.arena]).toEqual([report, report, 'gate', arena]);
    ours.arrive();
    const visits = new Visits();
    visits.come(theirs, 'theirs');
    const waiters = [
      { agent: them, kind: 'async', since: expect.any(Number) as number, age: expect.any(Number) as number },
    ];
    expect(theirs.inspect()).toMatchObject({ ...report, agentInside: us, waiters });
    ours.depart();
    expect(await visits.now()).toEqual(['theirs']);
    const insideTitle = expect.stringMatching(`^agent ${them}\\b`) as string;
    expect(ours.inspect()).toEqual({ ...report, agentInside: them, insideTitle });
    theirs.depart();
  });

  test('free() succeeds while no agent is inside or waits, even in a turn', async () => {
    const { ours, theirs } = create();
    theirs.arrive();
    for (const each of [ours, theirs]) expect(() => each.free()).toThrow('in use and cannot be freed');
    const visits = new Visits();
    visits.come(ours, 'ours');
    theirs.depart();
    for (const each of [ours, theirs]) expect(() => each.free()).toThrow('in use and cannot be freed');
    expect(await visits.now()).toEqual(['ours']);
    ours.depart();
    ours.free();
    for (const each of [ours, theirs]) expect(() => each.arrive()).toThrow('was freed');
  });
});
