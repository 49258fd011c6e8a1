// A world with a capacitor lock: a capacitor, and behind it a small lock of the model's own, or one of the classics.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  ENTRY_TAG,
  FLAG_OWNED,
  FLAGS,
  GATE,
  HEADER_TOP,
  OFFICE,
  OWNERS_AT,
} from '../../../core/src/kernel/layout.ts';
import { PROMISED, RACED } from '../../../core/src/kernel/states.ts';
import type { ShadowUser } from '../../../core/test/model/office-world.ts';
import { entryAt, layBlocks, PULSE, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import { LIFO as LIFO_LOCK, type LocksKernel } from '../../../classics/src/kinds.ts';
import type { Gate } from '../../src/gates/gate.ts';
import type { InnerLock } from '../../src/lock/inner-lock.ts';
import type { GateSettings } from '../../src/lock/gate-settings.ts';
import { comes, enters, leaves } from './arrivals.ts';
import type * as Entry from './entry.ts';
import { GateWorld, type CapacitorCore, type Gates, type GateSetup } from './gate-world.ts';
import type { ElementAddress } from '../../../core/src/kernel/addresses.ts';

/** The ways to the same lock that an agent may take. */
export interface LockActor extends ShadowUser {
  readonly gate: Gates;
  readonly through: Entry.CapacitorLock;
  readonly around: Entry.CapacitorLock;
  readonly skipping: Entry.CapacitorLock;
}
export type LockBody = (actor: LockActor) => unknown;

export interface LockSetup extends GateSetup {
  /** The inner lock. Default: the model's own. */
  readonly inner?: 'box' | 'failing' | 'lifo';
  /** Whether agents also bypass the capacitor, and thereby its bound. */
  readonly unbounded?: boolean;
}

/** 0: free. Otherwise the id of the owner. */
const BOX = TREASURE;
const LIFO = semaphoreAddress(1);

class BoxLock implements InnerLock {
  protected readonly ctx: Context;
  readonly #entered: (agent: number) => void;

  constructor(ctx: Context, { limit, unbounded = false }: LockSetup) {
    this.ctx = ctx;
    this.#entered = unbounded ? (agent) => leaves(ctx.words, agent) : (agent) => enters(ctx, agent, limit);
  }

  lock(): void {
    while (!this.#take()) this.ctx.until(() => this.ctx.words.load32(BOX) === 0);
  }

  tryLock(timeoutMs = 0): boolean {
    const { ctx } = this;
    while (!this.#take()) {
      if (timeoutMs === 0 || ctx.choose(2, 'times out') === 1) return false;
      ctx.until(() => ctx.words.load32(BOX) === 0);
    }
    return true;
  }

  unlock(): void {
    this.ctx.assert(
      this.ctx.words.exchange32(BOX, 0) === this.ctx.index + 1,
      'the inner lock belongs to another agent',
    );
  }

  #take(): boolean {
    const { words, index } = this.ctx;
    if (words.cas32(BOX, 0, index + 1) !== 0) return false;
    // Here the inner lock decides which agent overtakes.
    this.#entered(index);
    return true;
  }
}

/** One object for all calls: no stack is captured when it is thrown. */
export const REFUSED = new Error('the inner lock refuses');

/** An inner lock that may refuse. */
class FailingLock extends BoxLock {
  override lock(): void {
    if (this.ctx.choose(2, 'fails') === 1) throw REFUSED;
    super.lock();
  }
}

function innerOf(core: CapacitorCore, setup: LockSetup, { ctx, ref, policy }: ShadowUser): InnerLock {
  const { inner = 'box' } = setup;
  if (inner === 'lifo') return core.lifoLockAt({ ...ref, address: LIFO, tag: tagOf(1) }, policy);
  return inner === 'box' ? new BoxLock(ctx, setup) : new FailingLock(ctx, setup);
}

type Construct = new (inner: InnerLock, settings: GateSettings) => Entry.CapacitorLock;

function actorOf(core: CapacitorCore, setup: LockSetup, shadowUser: ShadowUser): LockActor {
  const { ctx, ref, policy } = shadowUser;
  const capacitor = setup.lanes === true ? core.lanedCapacitorAt(ref, policy) : core.capacitorAt(ref, policy);
  const gate: Gate = {
    arena: capacitor.arena,
    handle: capacitor.handle,
    routes: capacitor.routes,
    name: '',
    bypassLimit: setup.limit,
    get empty() {
      return capacitor.empty;
    },
    arrive: () => capacitor.arrive(),
    tryArrive: (timeoutMs) => capacitor.tryArrive(timeoutMs),
    arriveAsync: (options) => capacitor.arriveAsync(options),
    depart: () => {
      ctx.assert(ctx.words.get64(entryAt(ctx.index, 0)) > 0n, 'departed without an arrival');
      capacitor.depart();
    },
    inspect: () => capacitor.inspect(),
    free: () => capacitor.free(),
  };
  const inner = innerOf(core, setup, shadowUser);
  const lock = (fraction: number, skipWhenUncontended: boolean): Entry.CapacitorLock =>
    new (core.CapacitorLock as unknown as Construct)(inner, { gate, fraction, skipWhenUncontended } as GateSettings);
  return {
    ...shadowUser,
    gate: capacitor,
    // Each instance is created when it is used, because bodies run many times.
    get through() {
      return lock(0, false);
    },
    get around() {
      return lock(1, false);
    },
    get skipping() {
      return lock(0, true);
    },
  };
}

class LockWorld extends GateWorld<LockActor> {
  readonly #lifo: boolean;

  constructor(core: CapacitorCore, setup: LockSetup) {
    super(core, { ...setup, decides: false, alone: true }, (shadowUser) => actorOf(core, setup, shadowUser));
    this.#lifo = setup.inner === 'lifo';
  }

  override layOut(words: Words): void {
    super.layOut(words);
    if (!this.#lifo) return;
    words.put32(HEADER_TOP, LIFO + BLOCK_LINE);
    words.put32(LIFO + BLOCK_TAG, tagOf(1));
    layBlocks(words, [
      [semaphoreAddress(0), BLOCK_LINE, words.get32(semaphoreAddress(0) + BLOCK_KIND)],
      [LIFO, BLOCK_LINE, LIFO_LOCK.code],
    ]);
    words.put32(LIFO + FLAGS, (1 << OWNERS_AT) | FLAG_OWNED);
    for (let agent = 0; agent < this.gate.agents; agent++) words.put32(entryAt(agent, 1) + ENTRY_TAG, 0);
  }

  protected override kernel(ctx: Context): Kernel {
    const kernel = super.kernel(ctx);
    return this.#lifo ? patient(kernel as LocksKernel, ctx) : kernel;
  }

  override checkRest(words: Words): string | undefined {
    if (words.load32(BOX) !== 0 || words.load32(LIFO + OFFICE) !== 0) return 'the inner lock ends taken';
    return super.checkRest(words);
  }
}

/** An owner that has promised the inner lock is about to hand it over. An agent that asks before lets time pass. */
function patient(kernel: LocksKernel, ctx: Context): Kernel {
  const waitFor = (result: number, element: ElementAddress): number => {
    if ((result === RACED || result === PROMISED) && ctx.words.get32(element + GATE) === PROMISED) ctx.pause();
    return result;
  };
  return {
    ...kernel,
    park: (element, agent) => waitFor(kernel.park(element, agent), element),
    cancelQueuedWait: (...args) => waitFor(kernel.cancelQueuedWait(...args), args[1]),
  } as LocksKernel;
}

export function lockWorld(core: CapacitorCore, setup: LockSetup): LockWorld {
  return new LockWorld(core, setup);
}

/** Records that an agent begins to lock, and counts as late from here on. */
export function begins({ ctx }: LockActor): void {
  // Until an operation is performed, the step may not have begun.
  ctx.words.load32(PULSE);
  comes(ctx.words, ctx.index);
}
