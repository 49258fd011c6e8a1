// @ts-check
// The simplest owned lock: a semaphore with one permit, whose holder is the owner. Tests of the common parts of all
// owned locks use it.
import { OwnedLock } from '@sluice/core';
import * as format from '@sluice/core/format';
import * as core from '@sluice/core/internal';

/** @import { Arena, Entrance, Semaphore, SemaphoreHandle, WaitOptions } from '@sluice/core' */
/** @import { BlockRef } from '@sluice/core/internal' */

/** By the word HEALTH. @type {ReadonlyMap<number, string>} */
const STATES = new Map([
  [format.CONSISTENT, 'consistent'],
  [format.ORPHANED, 'orphaned'],
  [format.INHERITED, 'inherited'],
  [format.UNRECOVERABLE, 'unrecoverable'],
]);

/** @implements {Entrance} */
class SemaphoreEntrance {
  /** @type {Semaphore} */
  #semaphore;
  /** @type {() => boolean} */
  #isOwner;

  /** @param {BlockRef} ref @param {Semaphore} semaphore */
  constructor(ref, semaphore) {
    const { context, address, tag } = ref;
    const { entry } = context.lineState(address, tag, { recorded: true });
    this.#semaphore = semaphore;
    this.#isOwner = () => context.words.get64(entry) > 0n;
    this.errors = new core.PrimitiveErrors(
      { className: 'SemaphoreLock', late: 'could not be locked', untouched: 'It was not locked.' },
      ref,
    );
    this.health = new core.LockHealth(context.words, address);
  }

  isOwner() {
    return this.#isOwner();
  }

  enter() {
    this.#semaphore.acquire();
  }

  /** @param {number} timeoutMs */
  tryEnter(timeoutMs) {
    return this.#semaphore.tryAcquire(1, timeoutMs);
  }

  /** @param {WaitOptions | undefined} options @param {() => void} entered */
  enterAsync(options, entered) {
    return this.#semaphore.acquireAsync(1, options).then(entered);
  }

  exit() {
    this.#semaphore.release();
  }
}

export class SemaphoreLock extends OwnedLock {
  /** @type {Semaphore} */
  #semaphore;
  /** @type {() => string} */
  #consistency;

  /** @param {BlockRef} ref */
  constructor(ref) {
    const semaphore = core.semaphoreAt(ref, ref.arena.policy);
    super(new SemaphoreEntrance(ref, semaphore));
    const { context, address } = ref;
    this.#semaphore = semaphore;
    this.#consistency = () => STATES.get(context.words.load32(address + format.HEALTH)) ?? 'damaged';
    /** @type {SemaphoreHandle} */
    this.handle = semaphore.handle;
  }

  /** @param {{ arena?: Arena, name?: string }} [options] */
  static create({ arena, name } = {}) {
    const [ref] = core.createBlock(
      undefined,
      { arena, name },
      {
        fill: ({ words, address: lock }) => {
          words.store64(lock + format.GRANT, 1n);
          words.store64(lock + format.CAPACITY, 1n);
          words.put32(lock + format.LIMIT, 1);
          words.put32(lock + format.FLAGS, format.FLAG_RECOVERY | format.FLAG_OWNED);
        },
      },
    );
    return new SemaphoreLock(ref);
  }

  /** @param {SemaphoreHandle} handle */
  static from(handle) {
    return new SemaphoreLock(core.findPrimitive(handle, 'sluice.semaphore', format.KIND_SEMAPHORE));
  }

  /** The number of agents in line. */
  get waiting() {
    return this.#semaphore.waiting;
  }

  /** The consistency of the lock after deaths of owners. */
  get consistency() {
    return this.#consistency();
  }
}
