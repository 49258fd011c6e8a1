// Tests first calls that find out that their session is lost: they begin a new one, and fail only if the caller has
// lost something.

import { expect, test } from 'vitest';
import { rejection, until } from '../../../tools/conformance/src/observe.ts';
import { Interrupted, type RemoteEngine } from '../src/engine/engine.ts';
import type { RemoteStep } from '../src/engine/protocol.ts';
import type { Timer, Timing } from '../src/engine/timing.ts';
import type { RemoteKeyedRateLimiter } from '../src/keyed/keyed-rate-limiter.ts';
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
  readonly next: ('interrupt' | 'keep' | 'line' | 'forget' | 'late' | 'closing')[] = [];
  /** After how many microtasks `closing` closes the space. */
  turns = 0;
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
    // The process slept: its clock has moved, and no alarm has rung.
    if (fate === 'late') this.#now += LEASE;
    if (fate === 'closing') void this.#closeSoon();
    if (fate === 'line' || fate === 'closing') return ['waiting', '0'];
    if (fate === 'forget') this.forget();
    if (this.#forgotten.has(session)) return ['gone'];
    return ANSWERS[operation]?.() ?? [];
  }

  async #closeSoon(): Promise<void> {
    for (let turn = 0; turn < this.turns; turn++) await Promise.resolve();
    await this.space.close();
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
  fetch: () => ['granted', '17', '0'],
  keep: () => ['kept'],
  remove: () => ['removed', '1'],
  draw: () => ['drawn', '0', '0'],
  adjust: () => ['adjusted', '0', '0'],
  sessions: () => ['sessions', '0'],
  survey: () => ['surveyed'],
  arrive: () => ['ended', '1', '0'],
  change: () => ['changed', '0', '0'],
};

function keyedRate(space: Space): RemoteKeyedRateLimiter {
  return space.keyedRateLimiter('it', { permits: 1, interval: 10 });
}

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
  'keyedLimit.inspect': ['keys', (space) => space.keyedLimit('it', { concurrency: 1 }).inspect()],
  'keyedRateLimiter.acquireAsync': ['draw', (space) => keyedRate(space).acquireAsync('key')],
  'keyedRateLimiter.tryAcquire': ['draw', (space) => keyedRate(space).tryAcquire('key')],
  'keyedRateLimiter.penalty': ['adjust', (space) => keyedRate(space).penalty('key')],
  'keyedRateLimiter.remaining': ['gauge', (space) => keyedRate(space).remaining('key')],
  'keyedRateLimiter.inspect': ['keys', (space) => keyedRate(space).inspect()],
  'cache.getAsync': ['peek', (space) => space.cache<number>('it').getAsync('key', () => 1)],
  'cache.tryGet': ['peek', (space) => space.cache<number>('it').tryGet('key', () => 1)],
  'cache.has': ['peek', (space) => space.cache('it').has('key')],
  'cache.set': ['put', (space) => space.cache('it').set('key', 1)],
  'cache.delete': ['remove', (space) => space.cache('it').delete('key')],
  'cache.clear': ['clear', (space) => space.cache('it').clear()],
  'cache.inspect': ['keys', (space) => space.cache('it').inspect()],
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
const ONCE_ONLY = ['post', 'change', 'close', 'resize', 'draw', 'adjust', 'put', 'remove', 'clear'];

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

test('a wait begins a new session if it is granted after the end of its lease', async () => {
  const ground = await opened();
  ground.next.push('late');
  await ground.space.mutex('it').lockAsync();
  expect(ground.steps).toEqual(['acquire 1', 'acquire 2']);
});

test('a wait whose place is told after another reply has ended the session begins a new one', async () => {
  const ground = await opened();
  ground.next.push('late', 'line');
  await Promise.all([ground.space.mutex('it').lockAsync(), ground.space.mutex('other').lockAsync()]);
  expect(ground.steps).toEqual(['acquire 1', 'acquire 1', 'acquire 2', 'acquire 2']);
});

// In some of these turns the reply has been read and the wait has not.
test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'waits reject if the space is closed %i turns after they were answered',
  async (turns) => {
    for (const call of [
      (space: Space) => space.mutex('it').lockAsync(),
      (space: Space) => space.countdownLatch('it', 1).waitAsync(),
      (space: Space) => space.barrier('it', 2).waitAsync(),
    ]) {
      const ground = await opened();
      ground.turns = turns;
      ground.next.push('closing');
      expect(await rejection(call(ground.space))).toMatchObject({ code: 'SLUICE_CLOSED' });
    }
  },
);

test('a party that gives up and finds its session lost arrives nowhere else', async () => {
  const ground = await opened();
  ground.next.push('line');
  const outcome = rejection(ground.space.barrier('it', 2).waitAsync({ timeout: 100 }));
  await until(() => ground.steps.length === 1, 'it was sent');
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  ground.forget();
  ground.pass(100);
  expect(await outcome).toMatchObject({ code: 'SLUICE_LEASE_LOST' });
  expect(ground.steps).toEqual(['arrive 1', 'cancel 1']);
});

test('permits that a call takes after its timeout go back', async () => {
  const ground = await opened();
  ground.next.push('interrupt');
  const outcome = rejection(keyedRate(ground.space).acquireAsync('key', 1, { timeout: 10 }));
  await until(() => ground.steps.length === 1, 'it was sent');
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  ground.pass(10);
  expect(await outcome).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  ground.pass(50);
  await until(() => ground.steps.length === 3, 'the permits go back');
  expect(ground.steps).toEqual(['draw 1', 'draw 1', 'adjust 1']);
});

test('a slot that a limit with `maxWaiting` gets after the timeout of its call goes back', async () => {
  const ground = await opened();
  ground.next.push('interrupt');
  const outcome = rejection(
    ground.space.limit('it', { concurrency: 1, maxWaiting: 1, linger: 0 }).run(() => 1, { timeout: 10 }),
  );
  await until(() => ground.steps.length === 1, 'it was sent');
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  ground.pass(10);
  expect(await outcome).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  ground.pass(50);
  await until(() => ground.steps.length === 3, 'the slot goes back');
  expect(ground.steps).toEqual(['acquire 1', 'acquire 1', 'release 1']);
});
