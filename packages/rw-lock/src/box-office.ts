// The two lines of a read-write lock as one agent sees them; the reader and the writer share this object.
// The words, states and invariants of the box office are in kernel/rw-lock.ts.

import type { WaitingPolicy } from '@sluice/core';
import { Account, asBlock, BLOCK_LINE, Bouncer, checkNotFreed, FULL, holdersOf, oneLine, readName, SHUT, type Blame, type Place } from '@sluice/core/internal';
import { RW_LOCK, WRITERS, type RwKernel } from './kinds.ts';

export class BoxOffice {
  readonly place: Place;
  /** The writers' line: the second of the block. */
  readonly writersPlace: Place;
  readonly kernel: RwKernel;
  readonly readers: Bouncer;
  readonly writers: Bouncer;
  readonly readersAccount: Account;
  readonly writersAccount: Account;

  constructor(place: Place, policy: WaitingPolicy) {
    const { context, address, tag } = place;
    const { agent } = context;
    const { kernel, steps: readersLine } = context.load(RW_LOCK);
    const { steps: writersLine } = context.load(WRITERS);
    this.place = place;
    this.writersPlace = { ...place, address: asBlock(address + BLOCK_LINE) };
    this.kernel = kernel;
    const blame = (): Blame[] => [
      { how: 'held for writing', agents: holdersOf(context, this.writersPlace) },
      { how: 'held for reading', agents: holdersOf(context, place) },
    ];
    const shape = { className: 'RwLock', untouched: 'It was not locked.', blame };
    this.readersAccount = new Account({ ...shape, late: 'could not be locked for reading' }, place);
    this.writersAccount = new Account({ ...shape, late: 'could not be locked for writing' }, place, this.writersPlace);
    this.readers = new Bouncer(
      place,
      policy,
      { recorded: true, line: readersLine },
      (mayWait) => kernel.enqueueReader(address, tag, agent, this.readers.entry, mayWait),
      this.readersAccount,
    );
    this.writers = new Bouncer(
      this.writersPlace,
      policy,
      { recorded: true, line: writersLine },
      (mayWait) => kernel.enqueueWriter(address, tag, agent, this.writers.entry, mayWait),
      this.writersAccount,
    );
  }

  /** How many read locks this agent holds. */
  get reads(): number {
    return this.#held(this.readers);
  }

  /** Whether this agent holds the write lock. */
  get writes(): boolean {
    return this.#held(this.writers) > 0;
  }

  /** Throws the error for the outcome of a visit, if it is one. */
  check(outcome: number, side: 'readers' | 'writers'): void {
    if (outcome === SHUT) this.checkThere();
    if (outcome === FULL) throw new RangeError(`${this.readersAccount.toString()} has 2097151 ${side} already, which is the maximum. It was not locked.`);
  }

  checkThere(): void {
    checkNotFreed(this.place, 'The read-write lock');
  }

  /** The line that `console.log` shows for the lock or one of its sides. */
  line(className: string, more: () => Readonly<Record<string, unknown>>): string {
    return oneLine(className, () => {
      this.checkThere();
      const waiting = this.readers.inspect().waiters.length + this.writers.inspect().waiters.length;
      return { name: readName(this.place.context.words, this.place.address), ...more(), waiting };
    });
  }

  #held(line: Bouncer): number {
    // After `free` the ledger entry may belong to another primitive.
    this.checkThere();
    return Number(this.place.context.words.get64(line.entry));
  }
}
