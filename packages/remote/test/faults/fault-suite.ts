// The faults that every engine is tested with, on real processes and servers. Each test records what it saw in a row of
// the table of docs/site/threads-processes-machines.md.

import { expect } from 'vitest';
import type { RemoteGuard, Space } from '../../src/index.ts';
import { failureOf } from '../programs/failure-of.ts';
import { until, type Member } from './member.ts';
import { seenOn, type EngineName } from './seen.ts';

/** The lease of a session that dies, or must lose it, in ms. */
const SHORT = 3000;
/** The lease of a session that lives, in ms: longer than a busy machine may keep a process from renewing it. */
const LONG = 20_000;

/** What one test has: a namespace that no other test uses, and a server that it may kill. */
export interface FaultGround {
  /** Opens a space in this process, which does not serve. It is closed after the test. */
  readonly open: (lease: number) => Promise<Space>;
  /** Starts a process with a space. It is killed after the test. */
  readonly start: (lease: number) => Promise<Member>;
  /** Kills the server, or the process that serves. A server is started again. */
  readonly killServer: () => Promise<void>;
  readonly stopServer: () => void;
  /** Lets the stopped server go on. */
  readonly goOn: () => void;
  /** Takes all space or memory from the server. Returns a function that gives it back. Undefined: not here. */
  readonly fill: (() => Promise<() => Promise<void> | void>) | undefined;
  /** Sends bytes that are no protocol over some connections, and messages that make no sense to some sessions. */
  readonly sendGarbage: (sessions: readonly string[]) => Promise<void>;
}

/** What some engines have and others have not. */
export interface NetworkGround {
  /** Ends all connections of spaces once. */
  readonly cut: () => Promise<void>;
  /** Opens a space whose connections can be made to swallow everything. */
  readonly openBehind: (lease: number) => Promise<{ readonly space: Space; readonly swallow: () => void }>;
}

export interface FaultyEngine<Ground> {
  readonly name: EngineName;
  readonly it: (name: string, body: (ground: Ground) => Promise<void>) => void;
  /** Whether a death is noticed without waiting for a lease. */
  readonly noticesDeaths: boolean;
  /** Whether another process takes over from a server that is stopped. */
  readonly takesOver: boolean;
  /** The code of the error when the server has no space or memory left. */
  readonly fullCode: string;
  /** Whether what is held can be given back then. */
  readonly releasesWhenFull: boolean;
}

const waitersOf = async (space: Space): Promise<number> => (await space.mutex('m').inspect()).waiters.length;

async function untilWaiting(space: Space, waiters: number): Promise<void> {
  await until(async () => (await waitersOf(space)) === waiters, `${waiters} sessions wait`);
}

const tokenIn = (answer: string): bigint => BigInt(answer);

export function faultSuite(engine: FaultyEngine<FaultGround>): void {
  deaths(engine);
  ofServers(engine);
  ofData(engine);
}

function deaths({ name, it, noticesDeaths }: FaultyEngine<FaultGround>): void {
  // With so long a lease only a death that is noticed gives anything to others.
  const lease = noticesDeaths ? 600_000 : SHORT;
  const others = noticesDeaths ? LONG : SHORT;
  const seen = (fault: string, what: string): void => seenOn(name, fault, what);

  it('the next waiter goes on after kill -9 of a holder', async ({ start, open }) => {
    const holder = await start(lease);
    const token = tokenIn(await holder.ask('hold m'));
    const space = await open(others);
    const next = space.mutex('m').holdAsync();
    await untilWaiting(space, 1);
    const began = performance.now();
    await holder.end();
    const guard = await next;
    const ms = performance.now() - began;
    expect(guard.fencingToken).toBeGreaterThan(token);
    seen(
      'kill -9 of a holder',
      `the next went on after ${ms.toFixed(0)} ms${noticesDeaths ? '' : `, lease ${lease} ms`}`,
    );
  });

  it('the waiters behind a process go on after kill -9 of it', async ({ start, open }) => {
    const space = await open(LONG);
    const guard = await space.mutex('m').holdAsync();
    const [first, second] = [await start(lease), await start(others)];
    first.say('hold m');
    await untilWaiting(space, 1);
    second.say('hold m');
    await untilWaiting(space, 2);
    await first.end();
    await guard.release();
    expect(tokenIn(await second.answer('hold m'))).toBeGreaterThan(guard.fencingToken);
    expect(await waitersOf(space)).toBe(0);
    seen('kill -9 of a waiter', 'the next in line went on, and no process was in line any more');
  });

  it('a holder that was stopped beyond its lease learns of its loss when it goes on', async ({ start, open }) => {
    const holder = await start(SHORT);
    const token = tokenIn(await holder.ask('hold m'));
    const space = await open(LONG);
    holder.stop();
    const guard = await space.mutex('m').holdAsync();
    expect(guard.fencingToken).toBeGreaterThan(token);
    holder.say('check m');
    holder.go();
    expect(await holder.answer('check m')).toBe('SLUICE_LEASE_LOST');
    expect(guard.held).toBe(true);
    // Its session is lost, and its next call begins a new one.
    holder.say('wait m');
    await untilWaiting(space, 1);
    await guard.release();
    expect(tokenIn(await holder.answer('wait m'))).toBeGreaterThan(guard.fencingToken);
    seen('SIGSTOP of a holder beyond its lease', 'the next went on; then the stopped one was told, and waited in line');
  });
}

function ofServers({ name, it, takesOver }: FaultyEngine<FaultGround>): void {
  const seen = (fault: string, what: string): void => seenOn(name, fault, what);

  it('nothing that is held and no place in line is lost by kill -9 of the server', async ({
    start,
    open,
    killServer,
  }) => {
    const space = await open(LONG);
    const guard = await space.mutex('m').holdAsync();
    const [first, second] = [await start(LONG), await start(LONG)];
    for (const [i, member] of [first, second].entries()) {
      member.say('wait m');
      await untilWaiting(space, i + 1);
    }
    const before = (await space.mutex('m').inspect()).waiters.map(({ session }) => session);
    await killServer();
    expect((await space.mutex('m').inspect()).waiters.map(({ session }) => session)).toEqual(before);
    expect(guard.held).toBe(true);
    await guard.release();
    const token = tokenIn(await first.answer('wait m'));
    expect(token).toBeGreaterThan(guard.fencingToken);
    expect(tokenIn(await second.answer('wait m'))).toBeGreaterThan(token);
    seen('kill -9 of the server', 'the holder held, and both waiters were served in their order');
  });

  it('no lock has two holders while the server is stopped beyond a lease', async ({
    start,
    open,
    stopServer,
    goOn,
  }) => {
    const lease = takesOver ? 2 * SHORT : SHORT;
    const [space, other] = [await open(lease), await start(lease)];
    const guard = await space.mutex('m').holdAsync();
    other.say('wait m');
    await untilWaiting(space, 1);
    // Its place in line was answered before this.
    await other.ask('hold another');
    stopServer();
    const began = performance.now();
    if (takesOver) {
      expect(await waitersOf(space)).toBe(1);
      const ms = performance.now() - began;
      expect(guard.held).toBe(true);
      await guard.release();
      expect(tokenIn(await other.answer('wait m'))).toBeGreaterThan(guard.fencingToken);
      goOn();
      await stillWorks(space, other, guard);
      seen(
        'SIGSTOP of the server beyond the lease',
        `taken over after ${ms.toFixed(0)} ms, lease ${lease} ms; holder and waiter kept what they had`,
      );
      return;
    }
    await until(() => guard.signal.aborted, 'the holder is told');
    expect(await other.answer('wait m')).toBe('SLUICE_LEASE_LOST');
    goOn();
    await stillWorks(space, other, guard);
    seen('SIGSTOP of the server beyond the lease', 'holder and waiter were told; then locks were granted again');
  });
}

async function stillWorks(space: Space, other: Member, before: RemoteGuard): Promise<void> {
  const guard = await space.mutex('m').holdAsync();
  expect(guard.fencingToken).toBeGreaterThan(before.fencingToken);
  const asked = other.lines.length;
  other.say('wait m');
  await untilWaiting(space, 1);
  await guard.release();
  expect(tokenIn(await other.answer('wait m', asked))).toBeGreaterThan(guard.fencingToken);
}

function ofData({ name, it, fullCode, releasesWhenFull }: FaultyEngine<FaultGround>): void {
  const seen = (fault: string, what: string): void => seenOn(name, fault, what);

  it('a call that finds no space or memory left changes nothing', async ({ start, open, fill }) => {
    if (fill === undefined) {
      console.log(`*** No file system could be mounted, so a full one was not tested over ${name} ***`);
      return;
    }
    const space = await open(LONG);
    const [held, kept] = [await space.mutex('m').holdAsync(), await space.mutex('kept').holdAsync()];
    const other = await start(LONG);
    other.say('wait m');
    await untilWaiting(space, 1);
    const empty = await fill();
    const full = async (): Promise<{ readonly refused: string; readonly isReleased: boolean }> => {
      const refused = await untilRefused(space, fullCode);
      const isReleased = await held.release().then(
        () => true,
        () => false,
      );
      if (isReleased) expect(tokenIn(await other.answer('wait m'))).toBeGreaterThan(held.fencingToken);
      return { refused, isReleased };
    };
    const { refused, isReleased } = await full().finally(empty);
    expect(isReleased || !releasesWhenFull).toBe(true);
    expect(kept.held).toBe(true);
    expect((await space.mutex(refused).inspect()).holders).toEqual([]);
    await kept.release();
    await space.mutex(refused).runAsync(() => undefined);
    seen(
      'No space or memory left',
      `a call was refused with ${fullCode} and changed nothing; a release ${isReleased ? 'worked' : 'was refused'}`,
    );
  });

  it('garbage is harmful to its sender alone', async ({ start, open, sendGarbage }) => {
    const [space, other] = [await open(LONG), await start(LONG)];
    const guard = await space.mutex('m').holdAsync();
    other.say('wait m');
    await untilWaiting(space, 1);
    const { sessions } = await space.report();
    await sendGarbage(sessions.map(({ session }) => session));
    expect(guard.held).toBe(true);
    expect(await waitersOf(space)).toBe(1);
    await guard.release();
    expect(tokenIn(await other.answer('wait m'))).toBeGreaterThan(guard.fencingToken);
    await stillWorks(space, other, guard);
    seen('Garbage', 'the holder held, the waiter was served, and later calls worked');
  });
}

/** Locks mutexes until one is refused. Returns its name. */
async function untilRefused(space: Space, code: string): Promise<string> {
  for (let i = 0; ; i++) {
    // A long name needs space soon.
    const name = `${i}${'x'.repeat(190)}`;
    try {
      await space.mutex(name).holdAsync();
    } catch (failure) {
      if ((failure as { code?: string }).code !== code) throw failure;
      return name;
    }
  }
}

/** The faults of a network between processes and server. */
export function networkFaults({ name, it }: FaultyEngine<FaultGround & NetworkGround>): void {
  it('every waiter is served while connections are killed', async ({ start, open, cut }) => {
    const [space, other] = [await open(LONG), await start(LONG)];
    let last = 0n;
    for (let i = 0; i < 10; i++) {
      const guard = await space.mutex('m').holdAsync();
      expect(guard.fencingToken).toBeGreaterThan(last);
      const asked = other.lines.length;
      other.say('wait m');
      await untilWaiting(space, 1);
      await cut();
      await guard.release();
      last = tokenIn(await other.answer('wait m', asked));
      expect(last).toBeGreaterThan(guard.fencingToken);
    }
    seenOn(name, 'Connections killed', '10 waiters of 10 were served');
  });

  it('a holder behind a partition is told before the next one is granted', async ({ open, openBehind }) => {
    const space = await open(LONG);
    const behind = await openBehind(SHORT);
    const guard = await behind.space.mutex('m').holdAsync();
    const next = space
      .mutex('m')
      .holdAsync()
      // The clock tells that the lease is over. The event of the signal may come later if this process had no core.
      .then((granted) => [granted, guard.held] as const);
    await untilWaiting(space, 1);
    behind.swallow();
    const [granted, stillHeld] = await next;
    expect(stillHeld).toBe(false);
    expect(await failureOf(Promise.resolve().then(() => guard.assertHeld()))).toMatchObject({
      code: 'SLUICE_LEASE_LOST',
    });
    await granted.release();
    seenOn(name, 'A partition', 'the holder was told, then the next was granted');
  });
}
