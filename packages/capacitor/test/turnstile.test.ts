// Two agents of one thread: while one runs the other does not, so a turn goes on for as long as the test says.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { busyFor } from '../../../tools/conformance/src/observe.ts';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import type { TurnstileOptions } from '../src/index.ts';
import { createSides, setLimit, type Sides } from './support/turnstiles.ts';
import { Visits } from './support/visits.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

/** More passes than any turn allows: a loop that gets there does not end. */
const ENDLESS = 10_000;

const NOT_INSIDE = expect.objectContaining({ code: 'SLUICE_MISUSE', name: 'MisuseError' }) as Error;
/** Looks often: patrols are due each millisecond. */
const SOON = { interval: 1, timeout: 10_000 };

describe.each(['wasm', 'js'] as const)('Turnstile (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 4 } });
  const other = secondAgent(arena);
  const [us, them] = [arena.agentId, other.agentId];
  const create = (options: TurnstileOptions = {}): Sides => createSides(arena, other, options);

  test('if no other agent has come, an agent that departs leaves the turn free for all', () => {
    const { ours, theirs } = create();
    for (const [gate, agent] of [[ours, us], [theirs, them], [ours, us]] as const) {
      expect([gate.empty, gate.tryArrive()]).toEqual([true, true]);
      expect([gate.empty, gate.inspect().turn]).toEqual([false, agent]);
      gate.depart();
      gate.arrive();
      gate.depart();
      expect(gate.inspect()).toMatchObject({ turn: 0, away: false });
    }
  });

  test('it lets in one agent at a time, and that one as often as it likes', () => {
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

  test('an agent that departs while others wait can come back at most B times, then the next waiter has the turn', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    setLimit(ours, 20);
    ours.arrive();
    visits.come(theirs, 'theirs');
    ours.depart();
    expect(theirs.inspect()).toMatchObject({ turn: us, away: true, waiters: [{ agent: them }] });
    let back = 0;
    while (back <= 20 && ours.tryArrive()) {
      expect(ours.inspect()).toMatchObject({ turn: us, away: false });
      back += 1;
      ours.depart();
    }
    expect(back).toBeGreaterThan(0);
    expect(back).toBeLessThanOrEqual(20);
    // On its way to the next one.
    expect(ours.inspect()).toMatchObject({ turn: them, away: false });
    expect(ours.empty).toBe(false);
    expect(await visits.now()).toEqual(['theirs']);
    expect(ours.inspect().turn).toBe(them);
    theirs.depart();
    expect(ours.empty).toBe(true);
  });

  test('waiters get the turns in the order of their arrival', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    setLimit(ours, 1);
    ours.arrive();
    for (const name of ['first', 'second', 'third']) visits.come(name === 'second' ? ours : theirs, name);
    // The second is a task of the agent whose turn it is: it is in.
    expect(await visits.now()).toEqual(['second']);
    ours.depart();
    ours.depart();
    for (let passes = 0; ours.tryArrive(); passes++) {
      expect(passes).toBeLessThan(ENDLESS);
      ours.depart();
    }
    expect(await visits.now()).toEqual(['second', 'first']);
    theirs.depart();
    expect(await visits.now()).toEqual(['second', 'first', 'third']);
    theirs.depart();
    expect(ours.empty).toBe(true);
  });

  test('a waiter ends the turn of an agent that does not come back, async or blocking', async () => {
    const { ours, theirs } = create();
    for (const block of [false, true]) {
      const visits = new Visits();
      const controller = new AbortController();
      ours.arrive();
      visits.come(theirs, 'theirs', { signal: controller.signal });
      ours.depart();
      expect(ours.inspect().away).toBe(true);
      if (block) {
        controller.abort();
        expect(theirs.tryArrive(10_000)).toBe(true);
      } else await expect.poll(() => visits.inside, SOON).toEqual(['theirs']);
      expect(ours.inspect()).toMatchObject({ turn: them, away: false });
      expect(ours.tryArrive()).toBe(false);
      theirs.depart();
      // It lost that bet, and does not try again at once: this turn ends with its departure.
      ours.arrive();
      visits.come(theirs, 'again');
      ours.depart();
      expect(ours.inspect()).toMatchObject({ turn: them, away: false });
      expect(await visits.now()).toEqual(block ? ['again'] : ['theirs', 'again']);
      theirs.depart();
    }
  });

  test('an agent that comes back after its turn stands in line behind the waiters', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    ours.arrive();
    visits.come(theirs, 'theirs');
    ours.depart();
    await expect.poll(() => visits.inside, SOON).toEqual(['theirs']);
    visits.come(ours, 'late');
    expect(await visits.now()).toEqual(['theirs']);
    theirs.depart();
    await expect.poll(() => visits.inside, SOON).toEqual(['theirs', 'late']);
    ours.depart();
  });

  test('a task of the agent inside goes in beside it, until the turn is used up: then it stands in line', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    setLimit(ours, 2);
    ours.arrive();
    visits.come(theirs, 'theirs');
    ours.depart();
    ours.arrive();
    for (const name of ['second', 'third']) visits.come(ours, name);
    expect(await visits.now()).toEqual(['second']);
    expect(ours.inspect().waiters.map(({ agent }) => agent)).toEqual([them, us]);
    ours.depart();
    expect(ours.inspect().turn).toBe(us);
    ours.depart();
    expect(await visits.now()).toEqual(['second', 'theirs']);
    theirs.depart();
    await expect.poll(() => visits.inside, SOON).toEqual(['second', 'theirs', 'third']);
    ours.depart();
    expect(() => ours.depart()).toThrow(NOT_INSIDE);
  });

  test('a wait that times out or is aborted delays no other agent', async () => {
    const { ours, theirs } = create();
    const visits = new Visits();
    const controller = new AbortController();
    ours.arrive();
    visits.come(theirs, 'late', { timeout: 1 });
    visits.come(theirs, 'aborted', { signal: controller.signal });
    visits.come(theirs, 'stays');
    controller.abort('reason');
    await expect.poll(() => visits.failures.length, SOON).toBe(2);
    expect(visits.failures).toEqual(expect.arrayContaining(['reason', expect.objectContaining({ code: 'SLUICE_TIMEOUT' })]));
    await expect(theirs.arriveAsync({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect([visits.inside, ours.inspect().waiters.length]).toEqual([[], 1]);
    ours.depart();
    await expect.poll(() => visits.inside, SOON).toEqual(['stays']);
    theirs.depart();
    expect(arena.inspect().elements.waiting).toBe(0);
  });

  test('slow passes bring B down, and quick ones up again', async () => {
    const { ours, theirs } = create();
    const takeTurn = async (ms: number): Promise<void> => {
      const visits = new Visits();
      ours.arrive();
      visits.come(theirs, 'theirs');
      ours.depart();
      for (let passes = 0; ours.tryArrive(); passes++) {
        expect(passes).toBeLessThan(ENDLESS);
        busyFor(ms);
        ours.depart();
      }
      await expect.poll(() => visits.inside, SOON).toEqual(['theirs']);
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

  test('inspect() shows which agent has the turn, whether it is out, and the waiters', async () => {
    const { ours, theirs } = create({ name: 'gate' });
    const report = { kind: 'turnstile', name: 'gate', bypassLimit: 1000, turn: 0, away: false, waiters: [], abandoned: 0 };
    expect([ours.inspect(), theirs.inspect(), theirs.name, ours.arena]).toEqual([report, report, 'gate', arena]);
    ours.arrive();
    const visits = new Visits();
    visits.come(theirs, 'theirs');
    const waiters = [{ agent: them, kind: 'async', since: expect.any(Number) as number }];
    expect(theirs.inspect()).toEqual({ ...report, turn: us, waiters });
    ours.depart();
    expect(theirs.inspect()).toEqual({ ...report, turn: us, away: true, waiters });
    await expect.poll(() => visits.inside, SOON).toEqual(['theirs']);
    expect(ours.inspect()).toEqual({ ...report, turn: them });
    theirs.depart();
  });

  test('it can be freed while no agent is inside', () => {
    const { ours, theirs } = create();
    theirs.arrive();
    for (const each of [ours, theirs]) expect(() => each.free()).toThrow('in use and cannot be freed');
    theirs.depart();
    ours.free();
    for (const each of [ours, theirs]) expect(() => each.arrive()).toThrow('was freed');
  });

  /** It is our turn, we are out, and the waiters have cancelled. */
  async function strandTurn(): Promise<Sides> {
    const sides = create();
    const controller = new AbortController();
    const visits = new Visits();
    sides.ours.arrive();
    visits.come(sides.theirs, 'theirs', { signal: controller.signal });
    sides.ours.depart();
    controller.abort();
    await visits.now();
    expect(sides.ours.inspect()).toMatchObject({ turn: us, away: true, waiters: [] });
    return sides;
  }

  test('a turn with no waiter left is ended by the next waiter, or used by its agent', async () => {
    const first = await strandTurn();
    expect(first.theirs.tryArrive(10_000)).toBe(true);
    first.theirs.depart();
    expect(first.ours.empty).toBe(true);
    const second = await strandTurn();
    second.ours.arrive();
    expect(second.theirs.inspect()).toMatchObject({ turn: us, away: false });
    second.ours.depart();
    expect(second.theirs.tryArrive(10_000)).toBe(true);
    second.theirs.depart();
  });

  test('and by those that only try again and again', async () => {
    const { theirs } = await strandTurn();
    await expect.poll(() => theirs.tryArrive(), SOON).toBe(true);
    theirs.depart();
    expect(theirs.empty).toBe(true);
  });

  test('any agent can free a turnstile that no agent is in or waits for', async () => {
    (await strandTurn()).ours.free();
    (await strandTurn()).theirs.free();
  });
});
