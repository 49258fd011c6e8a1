// @ts-check
// Makes each call at every depth of the stack at which it may overflow. After an overflow that the program caught,
// nothing may be taken, put in, locked or lost. Frames of different sizes before the call shift the place of the
// overflow by one word each.
import { Arena, Region, Semaphore } from '@sluice/core';
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Barrier, CountdownLatch } from '@sluice/barrier';
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Broadcast, WatchCell } from '@sluice/broadcast';
import { Condition, Mutex, RecursiveMutex } from '@sluice/mutex';
import { Lazy, ManualResetEvent, Once } from '@sluice/event';
import { createLimit, RateLimiter } from '@sluice/limit';
import { SemaphoreCapacitor } from '@sluice/capacitor';
import { EventCount, McsLock, MultilaneSemaphore, TicketLock, TtsLock } from '@sluice/classics';
import { freeNamed, KeyedMutex, named } from '@sluice/named';
import { RwLock } from '@sluice/rw-lock';
import { PrioritySemaphore, ResizableSemaphore } from '@sluice/semaphores';
import { SeqLock } from '@sluice/seq-lock';
import { below, deepestOf, depthsAround, SHIFTS } from './overflow-depths.mjs';

/** @typedef {{ call: () => unknown, undo: (result: any) => unknown, intact: () => unknown }} Subject */
/** A subject over a value of its own. @type {Record<string, (arena: Arena) => Subject>} */
const SUBJECTS = {};
const free = (/** @type {any} */ lock) => lock.tryLock() && (lock.unlock(), true);

for (const [name, Class] of Object.entries({ Mutex, RecursiveMutex, McsLock, TicketLock, TtsLock })) {
  SUBJECTS[`${name}.lock`] = (arena) => {
    const lock = Class.create({ arena });
    return { call: () => lock.lock(), undo: () => lock.unlock(), intact: () => !lock.owned && free(lock) };
  };
  SUBJECTS[`${name}.hold`] = (arena) => {
    const lock = Class.create({ arena });
    return { call: () => lock.hold(), undo: (guard) => guard.release(), intact: () => !lock.owned && free(lock) };
  };
  SUBJECTS[`${name}.run`] = (arena) => {
    const lock = Class.create({ arena });
    return { call: () => lock.run(() => 1), undo: () => undefined, intact: () => !lock.owned && free(lock) };
  };
  SUBJECTS[`${name}.unlock`] = (arena) => {
    const lock = Class.create({ arena });
    lock.lock();
    return { call: () => lock.unlock(), undo: () => lock.lock(), intact: () => lock.owned };
  };
}
for (const [name, Class] of Object.entries({ Semaphore, ResizableSemaphore, PrioritySemaphore, MultilaneSemaphore })) {
  SUBJECTS[`${name}.acquire`] = (arena) => {
    const sem = Class.create(1, { arena });
    return { call: () => sem.acquire(), undo: () => sem.release(), intact: () => sem.available === 1 };
  };
  SUBJECTS[`${name}.create`] = (arena) => {
    // Loads the kind.
    Class.create(1, { arena });
    const { length } = arena.inspect().blocks.filter(({ kind }) => kind !== 'free');
    return {
      call: () => Class.create(1, { arena }),
      undo: (sem) => sem.free(),
      intact: () => arena.inspect().blocks.filter(({ kind }) => kind !== 'free').length === length,
    };
  };
}
SUBJECTS['RwLock.reader.run'] = (arena) => {
  const { reader, writer } = RwLock.create({ arena });
  return { call: () => reader.run(() => 1), undo: () => undefined, intact: () => free(writer) };
};
SUBJECTS['RwLock.writer.run'] = (arena) => {
  const { writer } = RwLock.create({ arena });
  return { call: () => writer.run(() => 1), undo: () => undefined, intact: () => free(writer) };
};
SUBJECTS['KeyedMutex.lock'] = (arena) => {
  const keys = KeyedMutex.create({ arena });
  return {
    call: () => keys.lock('k'),
    undo: () => keys.unlock('k'),
    intact: () => !keys.owns('k') && keys.tryLock('k') && (keys.unlock('k'), true),
  };
};
SUBJECTS['KeyedMutex.unlock'] = (arena) => {
  const keys = KeyedMutex.create({ arena });
  keys.lock('k');
  return { call: () => keys.unlock('k'), undo: () => keys.lock('k'), intact: () => keys.owns('k') };
};
SUBJECTS['KeyedMutex.lock of new keys'] = (arena) => {
  const keys = KeyedMutex.create({ arena });
  let n = 0;
  return {
    call: () => keys.lock(`k${n}`),
    undo: () => keys.unlock(`k${n++}`),
    intact: () => keys.inspect().keys.length === 0,
  };
};
SUBJECTS['KeyedMutex.tryLock'] = (arena) => {
  const keys = KeyedMutex.create({ arena });
  return {
    call: () => keys.tryLock('k'),
    undo: () => keys.unlock('k'),
    intact: () => keys.inspect().keys.length === 0,
  };
};
SUBJECTS['KeyedMutex.run'] = (arena) => {
  const keys = KeyedMutex.create({ arena });
  return { call: () => keys.run('k', () => 1), undo: () => undefined, intact: () => keys.inspect().keys.length === 0 };
};
SUBJECTS['named'] = (arena) => {
  let n = 0;
  return {
    call: () => named(arena, `x${n}`, Mutex),
    undo: () => freeNamed(arena, `x${n++}`, Mutex),
    intact: () => (named(arena, `x${n}`, Mutex), freeNamed(arena, `x${n}`, Mutex)),
  };
};
/** @type {[codec: string, value: any, more: object][]} */
const CODECS = [
  ['int32', 1, { capacity: 4 }],
  ['float64', 1, { capacity: 4 }],
  ['json', { a: 1 }, { ringBytes: 256 }],
];
for (const [codec, value, more] of CODECS) {
  SUBJECTS[`BoundedBuffer.push of ${codec}`] = (arena) => {
    const buffer = BoundedBuffer.create(/** @type {any} */ ({ arena, codec, ...more }));
    return {
      call: () => buffer.push(value),
      undo: () => buffer.pop(),
      intact: () => buffer.length === 0 && buffer.tryPush(value) && buffer.tryPop() !== undefined,
    };
  };
  SUBJECTS[`BoundedBuffer.pop of ${codec}`] = (arena) => {
    const buffer = BoundedBuffer.create(/** @type {any} */ ({ arena, codec, ...more }));
    buffer.push(value);
    return {
      call: () => buffer.pop(),
      undo: () => buffer.push(value),
      intact: () => buffer.length === 1 && buffer.tryPop() !== undefined && buffer.tryPush(value),
    };
  };
  for (const overflow of /** @type {const} */ (['lag', 'wait'])) {
    SUBJECTS[`Broadcast.publish of ${codec}, overflow ${overflow}`] = (arena) => {
      const broadcast = Broadcast.create(/** @type {any} */ ({ arena, codec, capacity: 4, overflow }));
      let n = 0;
      return {
        call: () => broadcast.publish(value),
        undo: () => n++,
        intact: () => broadcast.published === n && (broadcast.publish(value), (n += 1), true),
      };
    };
    SUBJECTS[`Subscription.next of ${codec}, overflow ${overflow}`] = (arena) => {
      const broadcast = Broadcast.create(/** @type {any} */ ({ arena, codec, capacity: 4, overflow }));
      const subscription = broadcast.subscribe();
      broadcast.publish(value);
      return {
        call: () => subscription.next(),
        undo: () => broadcast.publish(value),
        intact: () => subscription.behind === 1,
      };
    };
  }
  SUBJECTS[`WatchCell.set of ${codec}`] = (arena) => {
    const cell = WatchCell.create(/** @type {any} */ (value), /** @type {any} */ ({ arena, codec }));
    let n = 0;
    return {
      call: () => cell.set(/** @type {any} */ (value)),
      undo: () => n++,
      intact: () => cell.version === n && (cell.set(/** @type {any} */ (value)), (n += 1), true),
    };
  };
}
for (const overflow of /** @type {const} */ (['lag', 'wait'])) {
  SUBJECTS[`Broadcast.create, overflow ${overflow}`] = (arena) => {
    Broadcast.create({ arena, overflow });
    const { length } = arena.inspect().blocks.filter(({ kind }) => kind !== 'free');
    return {
      call: () => Broadcast.create({ arena, overflow }),
      undo: (broadcast) => (broadcast.close(), broadcast.free()),
      intact: () => arena.inspect().blocks.filter(({ kind }) => kind !== 'free').length === length,
    };
  };
}
SUBJECTS['Broadcast.subscribe'] = (arena) => {
  const broadcast = Broadcast.create({ arena, overflow: 'wait', maxSubscriptions: 2 });
  return {
    call: () => broadcast.subscribe(),
    undo: (subscription) => subscription.close(),
    intact: () => broadcast.inspect().subscriptions.length === 0,
  };
};
SUBJECTS['SeqLock.update'] = (arena) => {
  const lock = SeqLock.create({ arena, byteLength: 8 });
  const add = (/** @type {{ int32: Int32Array }} */ { int32 }) => {
    int32[0] = (int32[0] ?? 0) + 1;
  };
  let n = 0;
  return {
    call: () => lock.update(add),
    undo: () => n++,
    intact: () => lock.read().int32[0] === n && lock.tryUpdate(add) && (n += 1) > 0,
  };
};
SUBJECTS['SeqLock.write'] = (arena) => {
  const lock = SeqLock.create({ arena, byteLength: 8 });
  const value = lock.read();
  return { call: () => lock.write(value), undo: () => undefined, intact: () => lock.tryWrite(value) };
};
SUBJECTS['Once.run'] = (arena) => {
  let once = Once.create({ arena });
  return {
    call: () => once.run(() => undefined),
    undo: () => void (once = Once.create({ arena })),
    intact: () => once.inspect().state === 'idle',
  };
};
SUBJECTS['Lazy.get'] = (arena) => {
  let lazy = Lazy.create({ arena });
  return {
    call: () => lazy.get(() => ({ a: 1 })),
    undo: () => {
      lazy = Lazy.create({ arena });
    },
    intact: () => lazy.inspect().state === 'idle',
  };
};
SUBJECTS['CountdownLatch.done'] = (arena) => {
  const latch = CountdownLatch.create(1, { arena });
  return { call: () => latch.done(), undo: () => latch.add(), intact: () => latch.count === 1 };
};
SUBJECTS['EventCount.advance'] = (arena) => {
  const events = EventCount.create({ arena });
  let n = 0;
  // Every advance has to look for due waiters.
  events.awaitAsync(2 ** 40, { ref: false }).catch(() => undefined);
  return { call: () => events.advance(), undo: () => n++, intact: () => events.read() === n };
};
SUBJECTS['SemaphoreCapacitor.depart'] = (arena) => {
  const gate = SemaphoreCapacitor.create(Semaphore.create(1, { arena }));
  gate.arrive();
  return {
    call: () => gate.depart(),
    undo: () => gate.arrive(),
    intact: () => !gate.empty && gate.inspect().departuresLeft === 1,
  };
};
SUBJECTS['Barrier.wait with an action'] = (arena) => {
  const barrier = Barrier.create(1, { arena, action: () => undefined });
  let n = 0;
  return {
    call: () => barrier.wait(),
    undo: () => n++,
    // An action that fails breaks the generation, and the caller learns of it.
    intact: () => (barrier.broken ? (barrier.mend(), (n = barrier.generation), true) : barrier.generation === n),
  };
};
SUBJECTS['Condition.notifyAll'] = (arena) => {
  const condition = Condition.create(Mutex.create({ arena }));
  return { call: () => condition.notifyAll(), undo: () => undefined, intact: () => condition.waiting === 0 };
};
SUBJECTS['AutoResetEvent.wait'] = (arena) => {
  const event = AutoResetEvent.create({ arena });
  event.signal();
  return {
    call: () => event.wait(),
    undo: () => event.signal(),
    intact: () => event.tryWait() && (event.signal(), true),
  };
};
SUBJECTS['ManualResetEvent.set'] = (arena) => {
  const event = ManualResetEvent.create({ arena });
  return { call: () => event.set(), undo: () => event.reset(), intact: () => true };
};
SUBJECTS['RateLimiter.acquire'] = (arena) => {
  let limiter = RateLimiter.create({ arena, permits: 1, interval: 1e6, burst: 30_000 });
  let left = 30_000;
  return { call: () => limiter.acquire(), undo: () => left--, intact: () => limiter.available === left };
};
SUBJECTS['Region.create'] = (arena) => {
  const { length } = arena.inspect().blocks.filter(({ kind }) => kind !== 'free');
  return {
    call: () => Region.create(64, { arena }),
    undo: (region) => region.free(),
    intact: () => arena.inspect().blocks.filter(({ kind }) => kind !== 'free').length === length,
  };
};
SUBJECTS['createLimit'] = (arena) => {
  createLimit(1, { arena });
  const count = () => arena.inspect().blocks.filter(({ kind }) => kind !== 'free').length;
  const length = count();
  return { call: () => createLimit(1, { arena }), undo: (limit) => limit.free(), intact: () => count() === length };
};

/**
 * Whether the call returns at that depth. @type {(depth: number, shift: (act: () => unknown) => unknown, call:
 * Subject['call'], undo: Subject['undo']) => boolean}
 */
function returns(depth, shift, call, undo) {
  let result;
  try {
    result = below(depth, () => shift(call));
  } catch {
    return false;
  }
  undo(result);
  return true;
}

/** @param {(arena: Arena) => Subject} make */
async function play(make) {
  const arena = Arena.create({ maxPages: 256 });
  let subject = make(arena);
  /** @type {Record<string, number>} */
  const odd = {};
  const note = (/** @type {string} */ what) => (odd[what] = (odd[what] ?? 0) + 1);
  let overflows = 0;
  for (let warm = 0; warm < 20; warm++) subject.undo(subject.call());
  for (const shift of SHIFTS) {
    const { call, undo } = subject;
    for (const depth of depthsAround(await deepestOf((tried) => returns(tried, shift, call, undo)))) {
      /** @type {unknown} */
      let failure;
      let result;
      try {
        result = below(depth, () => shift(subject.call));
      } catch (thrown) {
        failure = thrown;
      }
      if (failure === undefined) {
        subject.undo(result);
        continue;
      }
      overflows += 1;
      const { message } = /** @type {Error} */ (failure);
      if (!message.includes('call stack')) note(`failed with: ${message.slice(0, 100)}`);
      let intact;
      try {
        intact = subject.intact();
      } catch (thrown) {
        intact = `the check failed with: ${/** @type {Error} */ (thrown).message.slice(0, 100)}`;
      }
      if (intact !== true) {
        note(`not intact: ${String(intact)}`);
        subject = make(arena);
      }
    }
  }
  return { overflows, odd };
}

const [only] = process.argv.slice(2);
for (const [name, make] of Object.entries(SUBJECTS)) {
  if (only !== undefined && only !== name) continue;
  const began = performance.now();
  const { overflows, odd } = await play(make);
  if (process.env['TRACE'] !== undefined) console.error(name, overflows, Math.round(performance.now() - began));
  if (overflows < 100) console.log(`${name}: only ${overflows} overflows`);
  for (const [what, times] of Object.entries(odd)) console.log(`${name}: ${what}, ${times} times of ${overflows}`);
}
console.log('end');
