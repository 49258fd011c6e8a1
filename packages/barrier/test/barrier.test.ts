// The promises of a barrier to agents of one thread.

import { Arena, BrokenBarrierError, DeadlockError, MisuseError, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { Barrier, type BarrierOptions, type BarrierResult } from '../src/index.ts';
import './support/kinds.ts';
import { expectBarrierAtRest } from './support/barrier-rest.ts';

const MOST = 32_767;
const BROKEN = expect.objectContaining({ name: 'BrokenBarrierError', code: 'SLUICE_BROKEN_BARRIER' }) as Error;
const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

/** A wait whose outcome a test reads later. */
interface Watched {
  outcome: unknown;
  readonly ended: Promise<unknown>;
}

function watched(wait: Promise<BarrierResult>): Watched {
  const seen: Watched = {
    outcome: 'waits',
    ended: wait.then(
      ({ leader }) => (seen.outcome = leader ? 'leads' : 'follows'),
      (failure: unknown) => (seen.outcome = failure),
    ),
  };
  return seen;
}

/** Returns the class of the error that the call throws. */
function threw(call: () => unknown): unknown {
  try {
    return call();
  } catch (failure) {
    return (failure as Error).constructor;
  }
}

const turns = (): Promise<void> => new Promise((later) => setImmediate(() => setImmediate(later)));

describe.each(PLACES)('Barrier ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one barrier, one per agent. */
  function create(
    parties: number,
    ours: Partial<BarrierOptions> = {},
    theirs: Pick<BarrierOptions, 'action'> = {},
  ): { ours: Barrier; theirs: Barrier } {
    const barrier = Barrier.create(parties, { arena, ...ours });
    return { ours: barrier, theirs: openAs(other, barrier.handle, (handle) => Barrier.from(handle, theirs)) };
  }

  test('a barrier of one party trips at each wait, in every form, and that party is the leader', async () => {
    const { ours } = create(1);
    expect([
      ours.wait(),
      ours.tryWait(),
      ours.tryWait(5),
      await ours.waitAsync(),
      await ours.waitAsync({ timeout: 0 }),
    ]).toEqual(Array.from({ length: 5 }, () => ({ leader: true })));
    expect([ours.generation, ours.parties, ours.broken]).toEqual([5, 1, false]);
    expectBarrierAtRest(arena, ours);
  });

  test('the last party to arrive admits all others, and the first is the leader', async () => {
    const { ours, theirs } = create(4);
    const waits = [theirs, ours, theirs].map((barrier) => watched(barrier.waitAsync()));
    await turns();
    expect([waits.map(({ outcome }) => outcome), ours.waiting, ours.inspect().arrived, ours.generation]).toEqual([
      ['waits', 'waits', 'waits'],
      3,
      3,
      0,
    ]);
    expect(ours.wait()).toEqual({ leader: false });
    await turns();
    expect([waits.map(({ outcome }) => outcome), theirs.generation]).toEqual([['leads', 'follows', 'follows'], 1]);
    expectBarrierAtRest(arena, ours);
  });

  test('each of a thousand generations has one leader', async () => {
    const { ours, theirs } = create(3);
    for (let generation = 0; generation < 1000; generation++) {
      const waits = [theirs.waitAsync(), ours.waitAsync()];
      const results = [theirs.wait(), ...(await Promise.all(waits))];
      expect(results.filter(({ leader }) => leader)).toHaveLength(1);
    }
    expect(ours.generation).toBe(1000);
    expectBarrierAtRest(arena, ours);
  });

  test('tryWait() arrives only as the last party, and otherwise changes nothing', async () => {
    const { ours, theirs } = create(2);
    expect([ours.tryWait(), theirs.tryWait(), ours.inspect().arrived]).toEqual([undefined, undefined, 0]);
    await expect(ours.waitAsync({ timeout: 0 })).rejects.toThrow(
      'did not trip within 0 ms: 0 of 2 parties have arrived. It was not changed.',
    );
    const wait = theirs.waitAsync();
    expect(ours.tryWait()).toEqual({ leader: false });
    expect(await wait).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('writes before an arrival are visible to the action, and after the wait', async () => {
    const parts = Region.create(12, { arena }).int32;
    const action = (): void => {
      parts[2] = (parts[0] ?? 0) + (parts[1] ?? 0);
    };
    const { ours, theirs } = create(2, { action }, { action });
    for (let round = 1; round <= 50; round++) {
      parts[0] = round;
      const wait = theirs.waitAsync();
      parts[1] = 2 * round;
      ours.wait();
      await wait;
      expect(parts[2]).toBe(3 * round);
    }
    expectBarrierAtRest(arena, ours);
  });

  test('the last party to arrive runs the action once, while all others wait', async () => {
    const seen: unknown[] = [];
    const { ours, theirs } = create(
      3,
      { action: () => seen.push(['ours', ours.inspect().acting, first.outcome, ours.generation]) },
      { action: () => seen.push('theirs') },
    );
    const first = watched(ours.waitAsync());
    const second = watched(theirs.waitAsync());
    await turns();
    expect(ours.wait()).toEqual({ leader: false });
    await turns();
    expect([seen, first.outcome, second.outcome]).toEqual([[['ours', true, 'waits', 0]], 'leads', 'follows']);
    expectBarrierAtRest(arena, ours);
  });

  test('an action that throws breaks the generation: its caller throws the same error, the others throw a BrokenBarrierError', async () => {
    const { ours, theirs } = create(2, {
      action: () => {
        throw new Error('no');
      },
    });
    const first = watched(theirs.waitAsync());
    expect(() => ours.wait()).toThrow('no');
    await turns();
    expect(first.outcome).toBeInstanceOf(BrokenBarrierError);
    expect([ours.broken, ours.inspect().broken, ours.generation]).toEqual([true, 'action-threw', 1]);
    expect(() => theirs.wait()).toThrow(
      'is broken: its action threw an error. Call mend() when its parties are ready to begin again.',
    );
    ours.reset();
    expectBarrierAtRest(arena, ours);
  });

  test('an action that returns a promise throws a MisuseError and breaks the generation', async () => {
    const action = (): Promise<void> => Promise.resolve();
    // @ts-expect-error -- the type forbids it, too
    const { ours } = create(1, { action });
    await expect(ours.waitAsync()).rejects.toThrow(
      'returned a promise: it must be synchronous. The generation is broken',
    );
    expect(ours.broken).toBe(true);
  });

  test('a party that arrives while the action runs waits for the next generation', async () => {
    let late: { outcome: unknown } | undefined;
    let tried: unknown;
    const { ours, theirs } = create(2, {
      action: () => {
        if (late !== undefined) return;
        tried = [theirs.tryWait(), theirs.tryWait(1)];
        late = watched(theirs.waitAsync());
      },
    });
    const first = ours.waitAsync();
    ours.wait();
    await first;
    await turns();
    expect([tried, late?.outcome, ours.inspect().arrived, ours.generation]).toEqual([
      [undefined, undefined],
      'waits',
      1,
      1,
    ]);
    expect(ours.wait()).toEqual({ leader: false });
    await turns();
    expect(late?.outcome).toBe('leads');
    expectBarrierAtRest(arena, ours);
  });

  test('a wait that times out breaks the barrier for all parties and later arrivals until reset()', async () => {
    const { ours, theirs } = create(4, { name: 'phase' });
    const others = [watched(theirs.waitAsync()), watched(ours.waitAsync())];
    expect(ours.tryWait(1)).toBeUndefined();
    await turns();
    expect(others.map(({ outcome }) => outcome)).toEqual([BROKEN, BROKEN]);
    for (const wait of [() => ours.wait(), () => theirs.tryWait(), () => theirs.tryWait(5)])
      expect(wait).toThrow(BROKEN);
    await expect(ours.waitAsync()).rejects.toThrow(
      "Barrier 'phase' is broken: a wait timed out or was aborted. Call mend()",
    );
    expect([ours.inspect().broken, ours.generation, ours.parties, ours.waiting]).toEqual(['gave-up', 1, 4, 0]);
    theirs.reset();
    expectBarrierAtRest(arena, ours);
  });

  test('an async wait that times out or is aborted breaks its generation', async () => {
    for (const how of ['timeout', 'abort']) {
      const { ours, theirs } = create(3, { name: 'phase' });
      const controller = new AbortController();
      const stays = watched(theirs.waitAsync());
      const gone = how === 'abort' ? ours.waitAsync({ signal: controller.signal }) : ours.waitAsync({ timeout: 1 });
      controller.abort('no longer');
      if (how === 'abort') await expect(gone).rejects.toBe('no longer');
      else
        await expect(gone).rejects.toMatchObject({
          code: 'SLUICE_TIMEOUT',
          message: expect.stringMatching(
            /did not trip within 1 ms: .*This call had arrived, so the generation is broken\./,
          ) as string,
        });
      await turns();
      expect([stays.outcome, ours.broken]).toEqual([BROKEN, true]);
      ours.reset();
      expectBarrierAtRest(arena, ours);
    }
  });

  test('a wait whose generation has ended resolves despite a later timeout or abort', async () => {
    const { ours, theirs } = create(2);
    const controller = new AbortController();
    const wait = theirs.waitAsync({ timeout: 5, signal: controller.signal });
    ours.wait();
    for (const end = performance.now() + 10; performance.now() < end; );
    controller.abort();
    expect(await wait).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('reset() breaks the generation in which parties wait, and the next one begins at once', async () => {
    const { ours, theirs } = create(2);
    const first = watched(theirs.waitAsync());
    ours.reset();
    expect([ours.broken, ours.generation]).toEqual([false, 1]);
    const second = theirs.waitAsync();
    ours.wait();
    await turns();
    expect((first.outcome as Error).message).toContain('was broken while this call waited, and has been reset since');
    expect(await second).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('reset() of a barrier without waiters changes nothing', () => {
    const { ours } = create(2);
    ours.reset();
    expect([ours.generation, ours.broken]).toEqual([0, false]);
    expectBarrierAtRest(arena, ours);
  });

  test('abort() breaks the barrier, with or without waiters', async () => {
    const { ours, theirs } = create(3, { name: 'phase' });
    ours.abort();
    ours.abort();
    expect(() => theirs.wait()).toThrow("Barrier 'phase' is broken: abort() was called.");
    expect(ours.generation).toBe(1);
    ours.mend();
    const wait = watched(theirs.waitAsync());
    ours.abort();
    await turns();
    expect([wait.outcome, ours.generation]).toEqual([BROKEN, 2]);
    ours.mend();
    expectBarrierAtRest(arena, ours);
  });

  test('mend() makes a broken barrier whole, and does not break a generation in which parties wait', async () => {
    const { ours, theirs } = create(2);
    expect(ours.tryWait(1)).toBeUndefined();
    theirs.mend();
    const first = theirs.waitAsync();
    ours.mend();
    expect([ours.broken, ours.generation, ours.inspect().arrived]).toEqual([false, 1, 1]);
    ours.wait();
    expect(await first).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('each wait reports the end of its own generation, even after later generations have ended', async () => {
    const { ours, theirs } = create(2);
    const first = watched(theirs.waitAsync());
    ours.wait();
    const second = watched(theirs.waitAsync());
    ours.reset();
    const third = watched(theirs.waitAsync());
    ours.wait();
    await Promise.all([first.ended, second.ended, third.ended]);
    expect([first.outcome, second.outcome, third.outcome]).toEqual(['leads', BROKEN, 'leads']);
    expectBarrierAtRest(arena, ours);
  });

  test('a wait whose thread misses two resets throws, even if its generation tripped', async () => {
    const { ours, theirs } = create(2);
    const missed = watched(theirs.waitAsync());
    ours.wait();
    for (let breaks = 0; breaks < 2; breaks++) {
      void ours.waitAsync().catch(() => undefined);
      ours.reset();
    }
    await turns();
    expect(missed.outcome).toEqual(BROKEN);
    expectBarrierAtRest(arena, ours);
  });

  test('register() adds a party that the open generation waits for', async () => {
    const { ours, theirs } = create(2);
    const first = watched(theirs.waitAsync());
    theirs.register();
    const second = watched(ours.waitAsync());
    await turns();
    expect([first.outcome, second.outcome, ours.parties]).toEqual(['waits', 'waits', 3]);
    ours.wait();
    await turns();
    expect([first.outcome, second.outcome]).toEqual(['leads', 'follows']);
    theirs.deregister();
    expect([ours.parties, ours.inspect().claimedBy]).toEqual([2, []]);
    expectBarrierAtRest(arena, ours);
  });

  test('deregister() of the last party that has not arrived trips the generation, and a waiter is the leader', async () => {
    let acts = 0;
    const { ours, theirs } = create(3, { action: () => (acts += 1) });
    const waits = [watched(theirs.waitAsync()), watched(ours.waitAsync())];
    ours.deregister();
    await turns();
    expect([waits.map(({ outcome }) => outcome), acts, ours.parties, ours.generation]).toEqual([
      ['leads', 'follows'],
      1,
      2,
      1,
    ]);
    expectBarrierAtRest(arena, ours);
  });

  test('deregister() throws for parties that have arrived and for more parties than there are', async () => {
    const { ours, theirs } = create(2);
    const wait = theirs.waitAsync();
    expect(() => ours.deregister(2)).toThrow('2 cannot leave: 1 of 2 parties have arrived. It was not changed.');
    ours.wait();
    await wait;
    expect(() => ours.deregister(3)).toThrow(MisuseError);
    ours.deregister(2);
    expect(() => ours.wait()).toThrow('has no parties: register() adds them');
    expect(() => ours.deregister()).toThrow(MisuseError);
    ours.register();
    expect(ours.wait()).toEqual({ leader: true });
    ours.deregister();
    expectBarrierAtRest(arena, ours);
  });

  test('parties can be claimed and can leave inside the action', () => {
    const seen: unknown[] = [];
    const { ours } = create(2, {
      action: () => {
        ours.claim(2);
        seen.push(threw(() => ours.claim()));
        ours.deregister();
        seen.push(ours.inspect().acting, ours.parties);
        ours.deregister();
      },
    });
    void ours.waitAsync();
    expect(ours.wait()).toEqual({ leader: false });
    expect([seen, ours.parties, ours.inspect().claimedBy]).toEqual([[MisuseError, true, 1], 0, []]);
    ours.register();
    expect(ours.inspect().claimedBy).toHaveLength(1);
    ours.deregister();
    expectBarrierAtRest(arena, ours);
  });

  test('the action may break its generation and arrive in the next one', () => {
    let depth = 0;
    const seen: unknown[] = [];
    const { ours } = create(1, {
      action: () => {
        depth += 1;
        if (depth > 1) return;
        ours.reset();
        seen.push(ours.tryWait());
      },
    });
    expect(() => ours.wait()).toThrow(BROKEN);
    expect([seen, ours.generation, ours.inspect().claimedBy]).toEqual([[{ leader: true }], 2, []]);
    expectBarrierAtRest(arena, ours);
  });

  test("a call inside the action that would wait for the action's return throws a DeadlockError", async () => {
    const seen: unknown[] = [];
    let later: Watched | undefined;
    const { ours } = create(1, {
      action: () => {
        if (later !== undefined) return;
        seen.push(
          threw(() => ours.wait()),
          threw(() => ours.tryWait(Infinity)),
          ours.tryWait(),
          ours.tryWait(1),
        );
        later = watched(ours.waitAsync());
      },
    });
    expect(ours.wait()).toEqual({ leader: true });
    await later?.ended;
    expect([seen, later?.outcome, ours.generation]).toEqual([
      [DeadlockError, DeadlockError, undefined, undefined],
      'leads',
      2,
    ]);
    expectBarrierAtRest(arena, ours);
  });

  test('waitAsync() of the last party returns after the action, so its thread may block at once', async () => {
    const acts: number[] = [];
    const { ours } = create(1, { action: () => acts.push(ours.generation) });
    const wait = ours.waitAsync();
    expect([acts, ours.generation]).toEqual([[0], 1]);
    expect(ours.wait()).toEqual({ leader: true });
    expect(await wait).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('a barrier may have 32,767 parties', () => {
    const { ours } = create(MOST - 1);
    ours.register();
    expect(() => ours.register()).toThrow(RangeError);
    expect(ours.parties).toBe(MOST);
    ours.deregister(MOST);
    expectBarrierAtRest(arena, ours);
  });

  test('claim() assigns existing parties to this agent, at most as many as there are', () => {
    const { ours, theirs } = create(2);
    theirs.claim();
    expect(ours.inspect()).toMatchObject({ parties: 2, claimedBy: [other.agentId] });
    expect(() => theirs.claim(2)).toThrow('this agent cannot be 2 more of its 2 parties');
    theirs.claim();
    theirs.deregister(2);
    expect(ours.inspect()).toMatchObject({ parties: 0, claimedBy: [] });
    expectBarrierAtRest(arena, ours);
  });

  test('parties can register and leave while the barrier is broken', () => {
    const { ours } = create(2);
    expect(ours.tryWait(1)).toBeUndefined();
    ours.register(3);
    ours.deregister(4);
    expect([ours.broken, ours.parties, ours.inspect().broken]).toEqual([true, 1, 'gave-up']);
    ours.reset();
    expect(ours.wait()).toEqual({ leader: true });
    expectBarrierAtRest(arena, ours);
  });

  test('thousands of broken generations use no more memory than the first few', async () => {
    const { ours, theirs } = create(4);
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [ours, theirs, ours].map((barrier) =>
        barrier.waitAsync({ signal: controller.signal }).catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
      theirs.reset();
    };
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 0 } });
    expectBarrierAtRest(arena, ours);
  });

  test("name and arena return the barrier's name and this agent's arena", () => {
    const { ours, theirs } = create(2, { name: 'phase' });
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === other, String(theirs)]).toEqual([
      'phase',
      'phase',
      true,
      true,
      "Barrier 'phase'",
    ]);
  });
});
