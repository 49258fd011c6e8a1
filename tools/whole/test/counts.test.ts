// Tests that the message of an error counts waiters and holders as `inspect` does at that moment, in every state that a
// few calls can reach.

import { expect, test } from 'vitest';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { Capacitor, LanedCapacitor, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Arena, hasCode, Semaphore, type WaitOptions } from '../../../packages/core/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit, RateLimiter } from '../../../packages/limit/src/index.ts';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../../packages/classics/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';
import { ending, turn } from '../../conformance/src/observe.ts';
import { byDepth } from '../../harness/src/session.ts';

/** The counts that a text may contain. */
type Counts = Readonly<Record<string, number | undefined>>;

interface Counted {
  /** The call whose error is read. */
  readonly late: (options: WaitOptions) => Promise<unknown>;
  /** The same call of another agent. */
  readonly theirs?: (options: WaitOptions) => Promise<unknown>;
  /** Admits a waiter, if one waits. */
  readonly next: () => void;
  readonly inspect: () => Counts;
  /** Whether the message counts all waiters, including those behind the call. */
  readonly unordered?: boolean;
  /** Whether an agent that waits again keeps the place that it left, ahead of calls that arrived in between. */
  readonly rejoins?: boolean;
}

type Make = (arena: Arena, other: Arena) => Counted;

const AGENT = String.raw`(?:this agent \(agent \d+\)|agent \d+(?: \((?:main thread|thread \d+(?:, [^)]+)?)\))?)`;
const AGENTS = String.raw`(${AGENT}(?:, ${AGENT})*(?: and (?:${AGENT}|\d+ others?))?)(?: for [\d.]+ m?s)?`;

/** Each count, and its form in a text. */
const PHRASES: readonly (readonly [name: string, pattern: RegExp, all?: string])[] = [
  ['waiters', /(\d+) (?:waiter|producer|consumer|publisher|thread)s? (?:ahead|in line)/],
  ['holders', new RegExp(`(?:held|entered|taken|claimed|run|preceded) by ${AGENTS}`)],
  ['writers', new RegExp(`held for writing by ${AGENTS}`)],
  ['readers', new RegExp(`held for reading by ${AGENTS}`)],
  ['full', new RegExp(`held back by ${AGENTS}`)],
  ['available', /(\d+)(?: of (\d+))? available/, 'size'],
  ['debt', /a debt of (\d+)/],
  ['values', /(\d+) values? in it/],
  ['published', /(\d+) published/],
  ['version', /version (\d+)/],
  ['count', /count (\d+)/],
  ['arrived', /(\d+) of (\d+) parties have arrived/, 'parties'],
  ['parties', /broken, (\d+) parties/],
  ['failures', /(\d+) attempts? failed/],
  ['inUse', /(\d+) of (\d+) slots in use/, 'size'],
  ['starts', /(\d+) of (\d+) starts in \d+ ms made/, 'cap'],
];
/** Numbers of the call, not of the primitive. */
const OF_THE_CALL = /(?:within|after) \d+ ms|waiting for \d+ permits?|at address \d+|did not reach \d+/g;

/** "3", "this agent (agent 2)", "agent 3 (thread 5)", "agent 3 (thread 5), agent 4 (thread 6) and 9 others". */
function numberOf(text: string): number {
  if (!text.includes('agent')) return Number(text);
  const others = /and (\d+) others?$/.exec(text);
  const named = text.match(/\bagent \d+/g) ?? [];
  return named.length + Number(others?.[1] ?? 0);
}

function countsIn(message: string): Record<string, number> {
  let rest = message.replace(OF_THE_CALL, '');
  const found: Record<string, number> = {};
  for (const [name, pattern, all] of PHRASES) {
    const match = pattern.exec(rest);
    if (match === null) continue;
    rest = rest.replace(match[0], '');
    found[name] = numberOf(match[1] ?? '');
    if (all !== undefined && match[2] !== undefined) found[all] = Number(match[2]);
  }
  expect(rest, `a number in "${message}" that is compared with nothing`).not.toMatch(/\d/);
  return found;
}

/** `waiters`: the number of waiters in the text. */
function compare(message: string, counts: Counts, waiters: number): void {
  const said = countsIn(message);
  expect({ message, waiters: said['waiters'] ?? 0 }).toEqual({ message, waiters });
  for (const [name, value] of Object.entries(said))
    if (name !== 'waiters') expect({ message, [name]: value }).toEqual({ message, [name]: counts[name] });
  for (const name of ['holders', 'writers', 'readers', 'full'])
    if ((counts[name] ?? 0) > 0) expect(Object.keys(said), message).toContain(name);
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // In this state no waiter can be admitted.
  }
}

const one = (agent: number): number => (agent === 0 ? 0 : 1);

interface AnyLock {
  readonly handle: { readonly arena: string };
  tryLock(): boolean;
  lockAsync(options?: WaitOptions): Promise<void>;
  unlock(): void;
  inspect(): { readonly owner: number; readonly waiters: readonly unknown[] };
}

function lock(
  create: (options: { arena: Arena }) => AnyLock,
  from: (handle: never) => AnyLock,
  more: Partial<Counted> = {},
): Make {
  return (arena, other) => {
    const ours = create({ arena });
    const theirs = openAs(other, ours.handle, (handle) => from(handle as never));
    theirs.tryLock();
    return {
      late: (options) => ours.lockAsync(options),
      theirs: (options) => theirs.lockAsync(options),
      next: () => [theirs, ours].forEach((each) => attempt(() => each.unlock())),
      inspect: () => {
        const { owner, waiters } = ours.inspect();
        return { holders: one(owner), waiters: waiters.length };
      },
      ...more,
    };
  };
}

interface AnySemaphore {
  readonly handle: { readonly arena: string };
  acquireAsync(permits?: number, options?: WaitOptions): Promise<void>;
  tryAcquire(): boolean;
  release(permits?: number): void;
  inspect(): {
    readonly available: number;
    readonly holders: readonly unknown[];
    readonly waiters: readonly unknown[];
    readonly size?: number;
    readonly debt?: number;
  };
}

const SIZE = 2;

function semaphore(
  create: (options: { arena: Arena }) => AnySemaphore,
  from: (handle: never) => AnySemaphore,
  permits = 1,
  unordered = false,
): Make {
  return (arena, other) => {
    const ours = create({ arena });
    const theirs = openAs(other, ours.handle, (handle) => from(handle as never));
    theirs.tryAcquire();
    ours.tryAcquire();
    return {
      late: (options) => ours.acquireAsync(permits, options),
      theirs: (options) => theirs.acquireAsync(1, options),
      next: () => attempt(() => theirs.release()),
      inspect: () => {
        const { available, holders, waiters, size = SIZE, debt = 0 } = ours.inspect();
        return { available, size, debt, holders: holders.length, waiters: waiters.length };
      },
      unordered,
    };
  };
}

const UNORDERED = [
  'AddressSemaphore',
  'MultilaneSemaphore',
  'PrioritySemaphore',
  'TtsLock',
  'LifoLock',
  'ReciprocatingLock',
];

const family = Object.entries({
  Semaphore,
  AddressSemaphore: classics.AddressSemaphore,
  ChainSemaphore: classics.ChainSemaphore,
  LightweightSemaphore: classics.LightweightSemaphore,
  LocationSemaphore: classics.LocationSemaphore,
  MonitorSemaphore: classics.MonitorSemaphore,
  MultilaneSemaphore: classics.MultilaneSemaphore,
  PrioritySemaphore: semaphores.PrioritySemaphore,
  ResizableSemaphore: semaphores.ResizableSemaphore,
  TicketSemaphore: classics.TicketSemaphore,
  WaitingArraySemaphore: classics.WaitingArraySemaphore,
} as Record<
  string,
  { create(permits: number, options: { arena: Arena }): AnySemaphore; from(handle: never): AnySemaphore }
>).map(
  ([name, Class]) =>
    [
      name,
      semaphore(
        (options) => Class.create(SIZE, options),
        (handle) => Class.from(handle),
        1,
        UNORDERED.includes(name),
      ),
    ] as const,
);

const locks = Object.entries({
  Mutex,
  RecursiveMutex,
  TtsLock,
  TicketLock,
  McsLock,
  LifoLock,
  ReciprocatingLock,
} as unknown as Record<string, { create(options: { arena: Arena }): AnyLock; from(handle: never): AnyLock }>).map(
  ([name, Class]) =>
    [
      name,
      lock(
        (options) => Class.create(options),
        (handle) => Class.from(handle),
        { unordered: UNORDERED.includes(name), rejoins: name === 'McsLock' },
      ),
    ] as const,
);

interface AnyGate {
  readonly handle: { readonly arena: string };
  arrive(): void;
  arriveAsync(options?: WaitOptions): Promise<void>;
  depart(): void;
}

function gate<T extends AnyGate>(
  create: (options: { arena: Arena }) => T,
  from: (handle: T['handle']) => T,
  counts: (gate: T) => Counts,
  unordered = false,
): Make {
  return (arena, other) => {
    const ours = create({ arena });
    const theirs = openAs(other, ours.handle, from);
    theirs.arrive();
    return {
      late: (options) => ours.arriveAsync(options),
      theirs: (options) => theirs.arriveAsync(options),
      next: () => [theirs, ours].forEach((each) => attempt(() => each.depart())),
      inspect: () => counts(ours),
      unordered,
    };
  };
}

const waiting = ({ waiters }: { readonly waiters: readonly unknown[] }): { readonly waiters: number } => ({
  waiters: waiters.length,
});

const KINDS: readonly (readonly [name: string, make: Make])[] = [
  ...family.map(([name, make]) => [name, make] as const),
  [
    'Semaphore, for two permits',
    semaphore(
      (options) => Semaphore.create(SIZE, options),
      (handle) => Semaphore.from(handle),
      2,
    ),
  ],
  ...locks.map(([name, make]) => [name, make] as const),
  [
    'Mutex, fifo',
    lock(
      (options) => Mutex.create({ ...options, order: 'fifo' }),
      (handle) => Mutex.from(handle),
    ),
  ],
  [
    'KeyedMutex',
    (arena, other) => {
      const ours = KeyedMutex.create({ arena });
      const theirs = openAs(other, ours.handle, (handle) => KeyedMutex.from(handle));
      theirs.tryLock('k');
      return {
        late: (options) => ours.lockAsync('k', options),
        theirs: (options) => theirs.lockAsync('k', options),
        next: () => [theirs, ours].forEach((each) => attempt(() => each.unlock('k'))),
        inspect: () => {
          const { owner = 0, waiters = [] } = ours.inspect().keys[0] ?? {};
          return { holders: one(owner), waiters: waiters.length };
        },
      };
    },
  ],
  ...(['reader', 'writer'] as const).flatMap((side) =>
    [false, true].map((upgradeable): readonly [string, Make] => [
      `RwLock.${side}${upgradeable ? ' with a seat' : ''}`,
      (arena, other) => {
        const ours = RwLock.create({ arena, upgradeable });
        const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
        if (side === 'reader') theirs.writer.tryLock();
        else theirs.reader.tryLock();
        return {
          late: (options) => ours[side].lockAsync(options),
          theirs: (options) => theirs[side].lockAsync(options),
          next: () =>
            [theirs.reader, theirs.writer, ours.writer, ours.reader].forEach((each) => attempt(() => each.unlock())),
          inspect: () => {
            const { writer, readers, waitingReaders, waitingWriters } = ours.inspect();
            return {
              writers: one(writer),
              readers: readers.length,
              waiters: side === 'reader' ? waitingReaders.length : waitingWriters.length,
            };
          },
        };
      },
    ]),
  ),
  [
    'SeqLock',
    (arena) => {
      const ours = SeqLock.create({ arena, byteLength: 8 });
      return {
        late: (options) => ours.updateAsync(() => undefined, options),
        next: () => undefined,
        inspect: () => ({ holders: one(ours.inspect().owner), ...waiting(ours.inspect()) }),
      };
    },
  ],
  [
    'BoundedBuffer, producers',
    (arena, other) => {
      const ours = BoundedBuffer.create<number>({ arena, capacity: 2 });
      const theirs = openAs(other, ours.handle, (handle) => BoundedBuffer.from<number>(handle));
      ours.pushMany([1, 2]);
      return {
        late: (options) => ours.pushAsync(3, options),
        theirs: (options) => theirs.pushAsync(4, options),
        next: () => void ours.tryPop(),
        inspect: () => ({ values: ours.inspect().length, waiters: ours.inspect().producers.length }),
      };
    },
  ],
  [
    'BoundedBuffer of bytes, producers',
    (arena, other) => {
      const ours = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 });
      const theirs = openAs(other, ours.handle, (handle) => BoundedBuffer.from<Uint8Array>(handle));
      ours.push(new Uint8Array(28));
      ours.push(new Uint8Array(20));
      return {
        late: (options) => ours.pushAsync(new Uint8Array(24), options),
        theirs: (options) => theirs.pushAsync(new Uint8Array(28), options),
        next: () => void ours.tryPop(),
        inspect: () => ({ values: ours.inspect().length, waiters: ours.inspect().producers.length }),
      };
    },
  ],
  [
    'BoundedBuffer, consumers',
    (arena, other) => {
      const ours = BoundedBuffer.create<number>({ arena, capacity: 2 });
      const theirs = openAs(other, ours.handle, (handle) => BoundedBuffer.from<number>(handle));
      return {
        late: (options) => ours.popAsync(options),
        theirs: (options) => theirs.popAsync(options),
        next: () => void theirs.tryPush(1),
        inspect: () => ({ values: ours.inspect().length, waiters: ours.inspect().consumers.length }),
      };
    },
  ],
  [
    'Broadcast, publishers',
    (arena, other) => {
      const ours = Broadcast.create<number>({ arena, capacity: 1, overflow: 'wait' });
      const theirs = openAs(other, ours.handle, (handle) => Broadcast.from<number>(handle));
      const [first, second] = [ours.subscribe(), theirs.subscribe()];
      ours.publish(0);
      return {
        late: (options) => ours.publishAsync(1, options),
        theirs: (options) => theirs.publishAsync(2, options),
        next: () => [first, second].forEach((each) => void each.tryNext()),
        inspect: () => {
          const { published, publishers, subscriptions, capacity } = ours.inspect();
          return {
            published,
            waiters: publishers.length,
            full: new Set(subscriptions.filter(({ behind }) => behind >= capacity).map(({ agent }) => agent)).size,
          };
        },
      };
    },
  ],
  [
    'Broadcast, subscriptions',
    (arena, other) => {
      const ours = Broadcast.create<number>({ arena });
      const theirs = openAs(other, ours.handle, (handle) => Broadcast.from<number>(handle)).subscribe();
      return {
        late: (options) => ours.subscribe().nextAsync(options),
        theirs: (options) => theirs.nextAsync(options),
        next: () => ours.publish(1),
        inspect: () => ({ published: ours.inspect().published, ...waiting(ours.inspect()) }),
        unordered: true,
      };
    },
  ],
  [
    'WatchCell',
    (arena, other) => {
      const ours = WatchCell.create(0, { arena });
      const theirs = openAs(other, ours.handle, (handle) => WatchCell.from<number>(handle));
      return {
        late: (options) => ours.changedAsync(options),
        theirs: (options) => theirs.changedAsync(options),
        next: () => ours.set(1),
        inspect: () => ({ version: ours.inspect().version, ...waiting(ours.inspect()) }),
        unordered: true,
      };
    },
  ],
  [
    'AutoResetEvent',
    (arena, other) => {
      const ours = AutoResetEvent.create({ arena });
      const theirs = openAs(other, ours.handle, (handle) => AutoResetEvent.from(handle));
      return {
        late: (options) => ours.waitAsync(options),
        theirs: (options) => theirs.waitAsync(options),
        next: () => ours.signal(),
        inspect: () => waiting(ours.inspect()),
      };
    },
  ],
  [
    'EventCount',
    (arena, other) => {
      const ours = classics.EventCount.create({ arena });
      const theirs = openAs(other, ours.handle, (handle) => classics.EventCount.from(handle));
      return {
        late: (options) => ours.awaitAsync(100, options),
        theirs: (options) => theirs.awaitAsync(ours.read() + 1, options),
        next: () => ours.advance(),
        inspect: () => ({ count: ours.read(), ...waiting(ours.inspect()) }),
        unordered: true,
      };
    },
  ],
  [
    'ManualResetEvent',
    (arena, other) => {
      const ours = ManualResetEvent.create({ arena });
      const theirs = openAs(other, ours.handle, (handle) => ManualResetEvent.from(handle));
      const pulse = (): void => {
        ours.set();
        ours.reset();
      };
      return {
        late: (options) => ours.waitAsync(options),
        theirs: (options) => theirs.waitAsync(options),
        next: pulse,
        inspect: () => waiting(ours.inspect()),
        unordered: true,
      };
    },
  ],
  ...(
    [
      ['Once', Once],
      ['Lazy', Lazy],
    ] as const
  ).map(([name, Class]): readonly [string, Make] => [
    name,
    (arena, other) => {
      const ours = (Class as typeof Once).create({ arena });
      const theirs = openAs(other, ours.handle, (handle) => (Class as typeof Once).from(handle));
      let fail: (failure: Error) => void = () => undefined;
      const begin = (): void => {
        const body = (): Promise<never> => new Promise((_, reject) => (fail = reject));
        void ending('runAsync' in theirs ? theirs.runAsync(body) : (theirs as unknown as Lazy<number>).getAsync(body));
      };
      begin();
      return {
        late: (options) => ours.waitAsync(options),
        theirs: (options) => theirs.waitAsync(options),
        next: () => {
          fail(new Error('it fails'));
          void turn().then(begin);
        },
        inspect: () => {
          const { runner, failures, waiters } = ours.inspect();
          return { holders: one(runner), failures, waiters: waiters.length };
        },
        unordered: true,
      };
    },
  ]),
  [
    'CountdownLatch',
    (arena, other) => {
      const ours = CountdownLatch.create(2, { arena });
      const theirs = openAs(other, ours.handle, (handle) => CountdownLatch.from(handle));
      return {
        late: (options) => ours.waitAsync(options),
        theirs: (options) => theirs.waitAsync(options),
        next: () => ours.done(),
        inspect: () => ({
          count: ours.inspect().count,
          holders: ours.inspect().claimedBy.length,
          ...waiting(ours.inspect()),
        }),
        unordered: true,
      };
    },
  ],
  [
    'Capacitor',
    gate(
      (options) => Capacitor.create({ ...options, bypassLimit: 1 }),
      (handle) => Capacitor.from(handle),
      (ours) => ({ holders: ours.inspect().inside.length, ...waiting(ours.inspect()) }),
    ),
  ],
  [
    'LanedCapacitor',
    gate(
      (options) => LanedCapacitor.create({ ...options, lanes: 2, bypassLimit: 2 }),
      (handle) => LanedCapacitor.from(handle),
      (ours) => ({
        holders: ours.inspect().inside.length,
        waiters: ours.inspect().lanes.reduce((sum, { waiters }) => sum + waiters.length, 0),
      }),
      true,
    ),
  ],
  [
    'Turnstile',
    gate(
      (options) => Turnstile.create(options),
      (handle) => Turnstile.from(handle),
      (ours) => ({ holders: one(ours.inspect().agentInside), ...waiting(ours.inspect()) }),
    ),
  ],
  [
    'RateLimiter',
    (arena, other) => {
      const ours = RateLimiter.create({ arena, permits: 1, interval: 1e9, burst: 1 });
      const theirs = openAs(other, ours.handle, (handle) => RateLimiter.from(handle));
      ours.tryAcquire();
      return {
        late: (options) => ours.acquireAsync(1, options),
        theirs: (options) => theirs.acquireAsync(1, options),
        next: () => undefined,
        inspect: () => {
          const { available, burst, head = 0, waiters } = ours.inspect();
          return { available, size: burst, holders: one(head), waiters: waiters.length };
        },
      };
    },
  ],
  ...[false, true].map((paced): readonly [string, Make] => [
    paced ? 'createLimit with an interval' : 'createLimit',
    (arena, other) => {
      const ours = paced
        ? createLimit({ arena, concurrency: 1, interval: 1e9, intervalCap: 2 })
        : createLimit(1, { arena });
      const theirs = openAs(other, ours.handle, (handle) => createLimit.from(handle));
      let end: () => void = () => undefined;
      const run = (): Promise<void> => new Promise((resolve) => (end = resolve));
      void theirs(run);
      return {
        late: (options) => ours.run(() => undefined, options),
        theirs: (options) => theirs.run(run, options),
        next: () => end(),
        inspect: () => {
          const { activeCount, concurrency, holders, waiters, interval } = ours.inspect();
          return {
            inUse: activeCount,
            size: concurrency,
            holders: holders.length,
            waiters: waiters.length,
            starts: interval?.startCount,
            cap: interval?.intervalCap,
          };
        },
        // With an interval the call of the other agent may start before this rejection is seen. So compare calls with a
        // timeout of 0.
        unordered: !paced,
      };
    },
  ]),
];

/** `ours`, `theirs`: a call begins to wait. `leaves`: the oldest call is cancelled. `next`: one waiter is admitted. */
const ACTS = ['ours', 'theirs', 'leaves', 'next'] as const;
type Act = (typeof ACTS)[number];

/** Returns all sequences of that length. Their prefixes are checked, too. */
function sequences(length: number): Act[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((begun) => ACTS.map((act) => [...begun, act]));
}

const LONGEST = byDepth({ quick: 2, ci: 2, full: 3 });
const TURNS = 3;

async function settle(): Promise<void> {
  for (let n = 0; n < TURNS; n++) await turn();
}

class Scene {
  readonly counted: Counted;
  readonly #calls: AbortController[] = [];

  constructor(counted: Counted) {
    this.counted = counted;
  }

  act(act: Act): void {
    const { late, theirs = late, next } = this.counted;
    if (act === 'ours') this.begin(late);
    else if (act === 'theirs') this.begin(theirs);
    else if (act === 'leaves') this.#calls.shift()?.abort('it leaves');
    else attempt(next);
  }

  begin(call: (options: WaitOptions) => Promise<unknown>): void {
    const controller = new AbortController();
    this.#calls.push(controller);
    void ending(call({ signal: controller.signal }));
  }

  end(): void {
    for (const call of this.#calls) call.abort('over');
  }
}

/** Returns the message of a call that timed out, or `undefined` if it was admitted. */
async function messageOf(call: Promise<unknown>): Promise<string | undefined> {
  const end = await ending(call);
  if (!('reason' in end)) return undefined;
  expect(hasCode(end.reason, 'SLUICE_TIMEOUT'), String(end.reason)).toBe(true);
  return (end.reason as Error).message;
}

test.each(KINDS)(
  'error messages of a %s count waiters and holders as inspect() does, in every state',
  async (_name, make) => {
    const arena = Arena.create({ maxPages: 256, policy: { buckets: 4 } });
    const other = secondAgent(arena);
    for (const acts of sequences(LONGEST)) {
      const scene = new Scene(make(arena, other));
      const { counted } = scene;
      for (const act of acts) {
        scene.act(act);
        // Call it at once: some grants have not been seen yet.
        const counts = counted.inspect();
        const atOnce = await messageOf(counted.late({ timeout: 0 }));
        if (atOnce !== undefined) compare(atOnce, counts, counts['waiters'] ?? 0);
        await settle();
      }
      const before = counted.inspect();
      const late = counted.late({ timeout: 1 });
      // The probe comes after the call, so it is not ahead of the call.
      if (counted.rejoins !== true) scene.begin(counted.theirs ?? counted.late);
      // Read it in the job of the rejection: the other waiters continue as soon as the call has left.
      const atEnd = late.then(
        () => undefined,
        () => counted.inspect(),
      );
      const message = await messageOf(late);
      const after = (await atEnd) ?? counted.inspect();
      const isPlaced = message !== undefined && / ahead|next in line/.test(message);
      // Otherwise the call timed out between two waits, and the other waiters have continued since.
      if (message !== undefined && (isPlaced || counted.unordered === true))
        compare(message, after, (isPlaced ? before : after)['waiters'] ?? 0);
      scene.end();
      await settle();
    }
  },
);
