// What a recovery has found of a dead agent: the report that it fills in.

import type { KindSteps } from '../kind.ts';
import type { LineAddress } from '../kernel/addresses.ts';
import { ADMITTED_DETACHED, TAKEN, type Verdict } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { isOwnedLock } from '../lock-health.ts';
import { blockOf } from './blocks.ts';
import { ownedLines, ownerOfLine } from './holders-and-waiters.ts';
import { readName } from './name.ts';
import type { LostLock, ReclaimReport } from './reclaim-report.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };

export class Losses {
  readonly report: Writable<ReclaimReport>;
  readonly #words: Words;

  /** `id`: of the dead agent. `finished`: recoveries that it had begun itself. */
  constructor(words: Words, id: number, finished: ReclaimReport[]) {
    this.#words = words;
    this.report = {
      agent: id,
      permits: [],
      ticketsWithdrawn: 0,
      chainsFinished: 0,
      locksOrphaned: [],
      buffersInterrupted: [],
      blocksFreed: 0,
      pending: [],
      finished,
    };
  }

  /** For a wait without an entry. `notesGrants`: the kind notes grants in entries, and passes on those of lines without one. */
  noteGrant(line: LineAddress, permits: number, left: Verdict, notesGrants: boolean): void {
    if (left !== TAKEN && !(left === ADMITTED_DETACHED && notesGrants)) return;
    const words = this.#words;
    if (ownedLines(words, blockOf(words, line)).includes(line) && ownerOfLine(words, line) === this.report.agent) return;
    if (isOwnedLock(words, line)) this.report.ticketsWithdrawn += 1;
    else this.notePermits(line, permits);
  }

  notePermits(line: number, permits: number): void {
    this.report.permits.push({ ...this.#named(line), permits });
  }

  /** Records a primitive once, even if the agent owned several locks of it. */
  noteLock(line: number, list: NonNullable<KindSteps['deadOwnerIn']> = 'locksOrphaned'): void {
    const lock = this.#named(line);
    const all = this.report[list];
    if (all.at(-1)?.address !== lock.address) all.push(lock);
  }

  /** Blocks of kinds that the recovering agent has not loaded. */
  notePending(blocks: Iterable<number>): void {
    for (const block of blocks) this.report.pending.push(this.#named(block));
  }

  #named(line: number): LostLock {
    const block = blockOf(this.#words, line);
    return { name: readName(this.#words, block), address: block };
  }
}
