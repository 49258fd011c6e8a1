// The two lines of a read-write lock as one agent sees them: what the reader side and the writer side share.
// The words, states and invariants of the box office are in core's kernel/rw-lock.ts.

import type { WaitingPolicy } from '@sluice/core';
import { Account, BLOCK_LINE, Bouncer, checkNotFreed, FULL, holdersOf, oneLine, readName, SHUT, type Blame, type Kernel, type Place } from '@sluice/core/internal';

export class BoxOffice {
  readonly place: Place;
  /** The writers' line: the second of the block. */
  readonly writersPlace: Place;
  readonly kernel: Kernel;
  readonly readers: Bouncer;
  readonly writers: Bouncer;
  readonly readersAccount: Account;
  readonly writersAccount: Account;

  constructor(place: Place, policy: WaitingPolicy) {
    const { context, address, tag } = place;
    const { kernel, agent } = context;
    this.place = place;
    this.writersPlace = { ...place, address: address + BLOCK_LINE };
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
      { recorded: true },
      (mayWait) => kernel.enqueueReader(address, tag, agent, this.readers.entry, mayWait),
      this.readersAccount,
    );
    this.writers = new Bouncer(
      this.writersPlace,
      policy,
      { recorded: true },
      (mayWait) => kernel.enqueueWriter(address, tag, agent, this.writers.entry, mayWait),
      this.writersAccount,
    );
  }

  /** How often this agent reads. */
  get reads(): number {
    return this.#held(this.readers);
  }

  /** Whether this agent writes. */
  get writes(): boolean {
    return this.#held(this.writers) > 0;
  }

  /** What a visit said, if that is an error. */
  check(outcome: number, side: 'readers' | 'writers'): void {
    if (outcome === SHUT) this.checkThere();
    if (outcome === FULL) throw new RangeError(`${this.readersAccount.toString()} has 2097151 ${side} already, the most that it can count. It was not locked.`);
  }

  checkThere(): void {
    checkNotFreed(this.place, 'The read-write lock');
  }

  /** What a console shows of a side. */
  line(className: string, more: () => Readonly<Record<string, unknown>>): string {
    return oneLine(className, () => {
      this.checkThere();
      const waiting = this.readers.inspect().waiters.length + this.writers.inspect().waiters.length;
      return { name: readName(this.place.context.words, this.place.address), ...more(), waiting };
    });
  }

  #held(line: Bouncer): number {
    // What it noted of a freed lock it notes of another one by now.
    this.checkThere();
    return Number(this.place.context.words.get64(line.entry));
  }
}
