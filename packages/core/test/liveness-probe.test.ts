// Tests the liveness token: whether agents are alive, for real threads in every state and for platforms that answer
// wrongly.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { arm, ARMED_WAITS, probe } from '../src/agent/liveness-probe.ts';
import { contextOf } from '../src/arena/arena.ts';
import { AgentContext } from '../src/agent/agent-context.ts';
import { Arena, MisuseError, Semaphore } from '../src/index.ts';
import { AGENT_ARMED, AGENT_LIFE } from '../src/kernel/layout.ts';
import type { Parking } from '../src/agent/parking.ts';
import { runChild } from './support/child.ts';
import { turn } from './support/turn.ts';
import { WatchedWorker } from './support/watched-worker.ts';
import { withoutAges } from './support/without-ages.ts';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

const workers: WatchedWorker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map(({ worker }) => worker.terminate()));
});

async function start(how: string): Promise<{ arena: Arena; sem: Semaphore; watched: WatchedWorker }> {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(2, { arena });
  const watched = await WatchedWorker.start(sem);
  workers.push(watched);
  await watched.begin(how);
  while (how.endsWith('wait') && sem.waiting === 0) await turn();
  return { arena, sem, watched };
}

/** Probes once. Returns the message of `reclaim`, or `dead`. */
function ask(arena: Arena, agent: number): 'alive' | 'unknown' | 'dead' {
  try {
    arena.reclaim(agent);
    return 'dead';
  } catch (failure) {
    if (!(failure instanceof MisuseError)) throw failure;
    if (failure.message.includes('is alive')) return 'alive';
    if (failure.message.includes('is not known to be dead')) return 'unknown';
    throw failure;
  }
}

/** Blocks this thread. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The maximum number of probes that an agent answers while its event loop does not run. It may be one less. */
const MAX_ANSWERS = 32;
/** The time limit for the end of a thread, in ms. */
const LONGEST_PAUSE = 2 ** 13;

const STATES = ['nothing', 'an async wait', 'a blocking wait', 'a loop without end'];

describe('real threads', () => {
  test.each(STATES)('a worker in %s is alive, and the probe changes nothing of it', async (how) => {
    const { arena, sem, watched } = await start(how);
    const before = sem.inspect();
    expect(ask(arena, watched.agent)).toBe('alive');
    expect(arena.reclaimDead()).toEqual([]);
    expect(withoutAges(sem.inspect())).toEqual(withoutAges(before));
  });

  test.each(STATES)(
    'a worker that was terminated in %s is found dead although this thread runs no event loop',
    async (how) => {
      const { arena, sem, watched } = await start(how);
      void watched.worker.terminate();
      const answers: string[] = [];
      // Probe less often than the agent answers for certain, with increasing pauses, because a thread takes a while to
      // end.
      for (let wait = 1; wait <= LONGEST_PAUSE && !answers.includes('dead'); wait *= 2) {
        block(wait);
        answers.push(ask(arena, watched.agent));
      }
      expect([...new Set(answers)].at(-1)).toBe('dead');
      expect([sem.available, arena.inspect().agents.map(({ agent }) => agent)]).toEqual([2, [arena.agentId]]);
    },
  );

  test('a blocked worker answers a limited number of probes until its event loop runs again', async () => {
    const { arena, sem, watched } = await start('a blocking wait');
    const answers = Array.from({ length: MAX_ANSWERS + 4 }, () => ask(arena, watched.agent));
    const alive = answers.indexOf('unknown');
    expect(alive === MAX_ANSWERS || alive === MAX_ANSWERS - 1).toBe(true);
    expect(answers.slice(0, alive).concat(answers.slice(alive).map(() => 'unknown' as const))).toEqual(
      answers.map((_, index) => (index < alive ? 'alive' : 'unknown')),
    );
    expect(answers.slice(alive)).not.toContain('dead');
    sem.release(1000);
    await vi.waitFor(() => expect(ask(arena, watched.agent)).toBe('alive'), PATIENCE);
    const many = (): string[] => Array.from({ length: MAX_ANSWERS - 2 }, () => ask(arena, watched.agent));
    await vi.waitFor(() => expect(many()).not.toContain('unknown'), PATIENCE);
  });

  test('a dead worker that was probed too often is recovered by its watch', async () => {
    const { arena, sem, watched } = await start('a loop without end');
    for (let question = 0; question <= MAX_ANSWERS; question++) ask(arena, watched.agent);
    arena.watch(watched.worker);
    expect(ask(arena, watched.agent)).toBe('unknown');
    await watched.worker.terminate();
    expect(arena.inspect().agents.map(({ agent }) => agent)).toEqual([arena.agentId]);
    expect(sem.available).toBe(2);
  });
});

describe('arenas that their agents have left', () => {
  test('the memory of such an arena is collected, with its pending waits', async () => {
    expect(await runChild('many-arenas.mjs', '100')).toEqual({ code: 0, printed: 'collected' });
  });

  test('thousands of such arenas, each with a gigabyte of addresses, can be created one after the other', {
    timeout: 120_000,
  }, async () => {
    expect(await runChild('many-arenas.mjs', '2000')).toEqual({ code: 0, printed: 'collected' });
  });
});

describe('platforms', () => {
  /** An agent on a platform that answers as `parking` says. Its token is not armed yet. */
  function contextWith(parking: Partial<Parking>): AgentContext {
    const { words, kernel, heap, agent, id, parking: real } = contextOf(Arena.create({ maxPages: 2 }));
    words.store32(agent + AGENT_ARMED, 0);
    const notNeeded = (): never => {
      throw new Error('not probed');
    };
    const [now, date] = [() => real.now(), () => real.date()];
    const whole: Parking = { wait: notNeeded, waitAsync: notNeeded, notify: notNeeded, now, date, ...parking };
    return new AgentContext({ words, kernel, parking: whole, heap, agent, id });
  }

  test.each([
    ['wakes no thread', 0],
    ['claims to wake a thread where none waits', 1],
  ])('on a platform that %s no agent is declared dead', (_, woken) => {
    const context = contextWith({ waitAsync: () => new Promise(() => undefined), notify: () => woken });
    arm(context);
    for (let question = 0; question < 3; question++) expect(probe(context, context.agent)).toBe('unknown');
  });

  test('on a platform without async waits no agent is declared dead', () => {
    const context = contextWith({ waitAsync: () => undefined, notify: () => 0 });
    arm(context);
    expect(probe(context, context.agent)).toBe('unknown');
  });

  test('at most as many waits are counted as are pending, and each used one is replaced', async () => {
    const pending: (() => void)[] = [];
    const tooMany: number[] = [];
    const armed = (): number => context.words.load32(context.agent + AGENT_ARMED);
    const context: AgentContext = contextWith({
      waitAsync: (address) => {
        if (armed() > pending.length) tooMany.push(armed());
        expect(address).toBe(context.agent + AGENT_LIFE);
        return new Promise<void>((resolve) => pending.push(resolve));
      },
      notify: (address) => {
        if (armed() >= pending.length && pending.length > 0) tooMany.push(armed());
        const used = address === context.agent + AGENT_LIFE ? pending.shift() : undefined;
        used?.();
        return used === undefined ? 0 : 1;
      },
    });
    arm(context);
    expect([armed(), pending.length >= ARMED_WAITS]).toEqual([ARMED_WAITS, true]);
    for (const left of [ARMED_WAITS - 1, ARMED_WAITS - 2]) {
      expect(probe(context, context.agent)).toBe('alive');
      expect(armed()).toBe(left);
    }
    await turn();
    expect([armed(), pending.length >= ARMED_WAITS]).toEqual([ARMED_WAITS, true]);
    expect(tooMany).toEqual([]);
    // A probe for the former owner of the record.
    context.parking.notify(context.agent + AGENT_LIFE, 1);
    await turn();
    expect(armed()).toBe(ARMED_WAITS);
  });
});
