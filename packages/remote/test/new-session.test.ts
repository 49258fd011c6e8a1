// Tests first calls that find out that their session is lost: they begin a new one, and fail only if the caller has
// lost something.

import { expect, test } from 'vitest';
import { rejection, until } from '../../../tools/conformance/src/observe.ts';
import { Interrupted, type RemoteEngine } from '../src/engine/engine.ts';
import type { RemoteStep } from '../src/engine/protocol.ts';
import type { Timer, Timing } from '../src/engine/timing.ts';
import { Space } from '../src/space.ts';

const LEASE = 1000;

/** An engine that forgets sessions when the test says so, and a clock that the test advances. */
class Ground implements RemoteEngine, Timing {
  readonly space = new Space({ namespace: 'space', lease: LEASE, label: '', engine: this, timing: this });
  readonly format = '1';
  readonly retryMs = 50;
  /** The steps of callers, with the number of their session. */
  readonly steps: string[] = [];
  /** What becomes of the next steps, before all others are answered. */
  readonly next: ('interrupt' | 'keep' | 'line' | 'forget')[] = [];
  readonly #sessions: string[] = [];
  readonly #forgotten = new Set<string>();
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();
  #now = 0;

  async run([operation, session]: RemoteStep): Promise<string[]> {
    await Promise.resolve();
    if (operation === 'attach') {
      this.#sessions.push(session);
      return ['attached'];
    }
    if (operation === 'beat' || operation === 'mine')
      return this.#forgotten.has(session) ? ['gone'] : ['alive', '1000'];
    this.steps.push(`${operation} ${this.#sessions.indexOf(session) + 1}`);
    const fate = this.next.shift();
    if (fate === 'interrupt') throw new Interrupted('the connection broke');
    if (fate === 'keep') return new Promise(() => undefined);
    if (fate === 'line') return ['waiting', '0'];
    if (fate === 'forget') this.forget();
    if (this.#forgotten.has(session)) return ['gone'];
    return ANSWERS[operation]?.() ?? [];
  }

  /** Forgets all sessions. */
  forget(): void {
    for (const session of this.#sessions) this.#forgotten.add(session);
  }

  get sessions(): number {
    return this.#sessions.length;
  }

  otherFormat(): Error {
    return new Error('another format');
  }

  unreachable(cause: unknown): Error {
    return new Error('unreachable', { cause });
  }

  listen(): Promise<{ close: () => void }> {
    return Promise.resolve({ close: () => undefined });
  }

  close(): void {
    // There is no connection.
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): Timer | undefined {
    if (ms === Infinity) return undefined;
    const alarm = { at: this.#now + ms, ring };
    this.#alarms.add(alarm);
    return { stop: () => void this.#alarms.delete(alarm) };
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const alarm of [...this.#alarms]) {
      if (alarm.at > this.#now || !this.#alarms.delete(alarm)) continue;
      alarm.ring();
    }
  }
}

const ANSWERS: Readonly<Record<string, () => string[]>> = {
  acquire: () => ['granted', '17', '0'],
  attempt: () => ['granted', '17', '0'],
  finish: () => ['finished'],
  release: () => ['released'],
  settle: () => ['settled'],
  post: () => ['posted'],
  resize: () => ['resized'],
  close: () => ['closed'],
  look: () => ['looked', '1', '1', '0', '0'],
  gauge: () => ['gauged', '3', '16000', '0', '0'],
  keys: () => ['keys'],
  sessions: () => ['sessions', '0'],
  survey: () => ['surveyed'],
  arrive: () => ['ended', '1', '0'],
  change: () => ['changed', '0', '0'],
};

/** A first call of a process that holds nothing, and its step. */
const CALLS: Readonly<Record<string, readonly [step: string, call: (space: Space) => Promise<unknown>]>> = {
  'semaphore.acquireAsync': ['acquire', (space) => space.semaphore('it', 1).acquireAsync()],
  'semaphore.acquireAsync behind a front': [
    'acquire',
    (space) => space.semaphore('it', 1, { bypass: 4, linger: 10 }).acquireAsync(),
  ],
  'semaphore.tryAcquire': ['acquire', (space) => space.semaphore('it', 1).tryAcquire()],
  'semaphore.release of a signal': ['post', (space) => space.semaphore('it', 1, { recovery: false }).release()],
  'semaphore.inspect': ['look', (space) => space.semaphore('it', 1).inspect()],
  'semaphore.close': ['close', (space) => space.semaphore('it', 1).close()],
  'mutex.holdAsync': ['acquire', (space) => space.mutex('it').holdAsync()],
  'limit.resize': ['resize', (space) => space.limit('it', 1).resize(2)],
  'keyedMutex.lockAsync': ['acquire', (space) => space.keyedMutex('it').lockAsync('key')],
  'keyedMutex.inspect': ['keys', (space) => space.keyedMutex('it').inspect()],
  'rateLimiter.acquireAsync': [
    'acquire',
    (space) => space.rateLimiter('it', { permits: 1, interval: 10 }).acquireAsync(),
  ],
  'rateLimiter.retryAfter': ['gauge', (space) => space.rateLimiter('it', { permits: 1, interval: 10 }).retryAfter()],
  'once.runAsync': ['attempt', (space) => space.once('it').runAsync(() => undefined)],
  'lazy.getAsync': ['attempt', (space) => space.lazy<number>('it').getAsync(() => 1)],
  'countdownLatch.waitAsync': ['arrive', (space) => space.countdownLatch('it', 1).waitAsync()],
  'countdownLatch.done': ['change', (space) => space.countdownLatch('it', 1).done()],
  'barrier.waitAsync': ['arrive', (space) => space.barrier('it', 1).waitAsync()],
  'space.report': ['sessions', (space) => space.report()],
};

async function opened(): Promise<Ground> {
  const ground = new Ground();
  await ground.space.session();
  return ground;
}

test.each(Object.entries(CALLS))('%s begins a new session if the engine has forgotten the last', async (_, each) => {
  const [step, call] = each;
  const ground = await opened();
  ground.forget();
  await call(ground.space);
  expect(ground.steps.slice(0, 2)).toEqual([`${step} 1`, `${step} 2`]);
  expect(ground.sessions).toBe(2);
});

test.each(Object.entries(CALLS))('%s fails if the engine forgets the new session, too', async (_, [step, call]) => {
  const ground = await opened();
  ground.next.push('forget', 'forget');
  expect(await rejection(call(ground.space))).toMatchObject({ name: 'LeaseLostError', code: 'SLUICE_LEASE_LOST' });
  expect(ground.steps).toEqual([`${step} 1`, `${step} 2`]);
});

/** Calls that change something which a new session would change once more. */
const ONCE_ONLY = ['post', 'change', 'close', 'resize'];

test.each(Object.entries(CALLS).filter(([, [step]]) => ONCE_ONLY.includes(step)))(
  '%s fails if it may have run before the engine forgot the session',
  async (_, [step, call]) => {
    const ground = await opened();
    ground.next.push('interrupt', 'forget');
    const outcome = rejection(call(ground.space));
    await until(() => ground.steps.length === 1, 'it was sent');
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    ground.pass(50);
    expect(await outcome).toMatchObject({ code: 'SLUICE_LEASE_LOST' });
    expect(ground.steps).toEqual([`${step} 1`, `${step} 1`]);
  },
);

/** Calls that change nothing, or that the engine forgets with the session. */
test.each(Object.entries(CALLS).filter(([, [step]]) => !ONCE_ONLY.includes(step) && step !== 'arrive'))(
  '%s begins a new session if the lease ends before it is answered',
  async (_, [step, call]) => {
    const ground = await opened();
    ground.next.push('keep');
    const outcome = call(ground.space);
    await until(() => ground.steps.length === 1, 'it was sent');
    ground.pass(LEASE);
    await outcome;
    expect(ground.steps.slice(0, 2)).toEqual([`${step} 1`, `${step} 2`]);
  },
);

test('one timeout ends the waits in both sessions', async () => {
  const ground = await opened();
  ground.next.push('keep', 'keep');
  const outcome = rejection(ground.space.mutex('it').lockAsync({ timeout: LEASE + 100 }));
  await until(() => ground.steps.length === 1, 'it was sent');
  ground.pass(LEASE);
  await until(() => ground.steps.length === 2, 'it was sent again');
  ground.pass(100);
  expect(await outcome).toMatchObject({ code: 'SLUICE_TIMEOUT' });
});

test('a wait that had a place in line rejects when the lease ends', async () => {
  const ground = await opened();
  ground.next.push('line');
  const outcome = rejection(ground.space.mutex('it').lockAsync());
  await until(() => ground.steps.length === 1, 'it was sent');
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  ground.pass(LEASE);
  expect(await outcome).toMatchObject({ code: 'SLUICE_LEASE_LOST' });
  expect(ground.steps).toEqual(['acquire 1']);
});

test('a guard of the lost session stays lost while another call begins a new one', async () => {
  const ground = await opened();
  const guard = await ground.space.mutex('it').holdAsync();
  ground.forget();
  await ground.space.mutex('other').lockAsync();
  expect(guard.held).toBe(false);
  expect(() => guard.assertHeld()).toThrow(/does not know the session any more/);
  expect(await rejection(guard.release())).toMatchObject({ code: 'SLUICE_LEASE_LOST' });
});
