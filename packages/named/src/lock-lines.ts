// The lines of a lock manager as one agent sees them. It takes locks, draws tickets and releases under the mutex of the
// table.

import { BLOCK_TAG } from '@sluice/core/internal';
import type { LockMode } from './held-lock.ts';
import { hashOf } from './key.ts';
import type { KeyTable } from './key-table.ts';
import { USUALLY_KEPT } from './layout.ts';
import { ALL, endLine, openLine, permitsOf, watch, type Line } from './line.ts';
import type { LockRequest } from './lock-request.ts';

/** Opened lines that are kept for the next requests. */
const MOST_OPENED = 2 * USUALLY_KEPT;

/** A request in a line. */
export interface Drawn {
  readonly line: Line;
  /** Whether the lock was free. */
  readonly isTaken: boolean;
}

export class LockLines {
  readonly #keys: KeyTable;
  readonly #opened = new Map<number, Line>();
  /** By the names of their locks: those of the last requests. */
  readonly #ofNames = new Map<string, Line>();

  constructor(keys: KeyTable) {
    this.#keys = keys;
  }

  /** The line of an entry. Call it under the mutex of the table. */
  open(entry: number): Line {
    const known = this.#opened.get(entry);
    if (known !== undefined && this.#tagOf(entry) === known.tag) return known;
    // Of a line that is watched, another object would be watched beside this one: a wait that ends only with the line.
    if (this.#opened.size >= MOST_OPENED)
      for (const [at, { held, isWatched }] of this.#opened) if (held.size === 0 && !isWatched) this.#opened.delete(at);
    const line = openLine(this.#keys.blocks.placeOf(entry));
    this.#opened.set(entry, line);
    return line;
  }

  /**
   * A request holds the lock of that line. The line is watched from here on, and may have been let go of since the
   * request was made.
   */
  keep(line: Line): void {
    if (this.#opened.get(line.entry)?.tag !== line.tag) this.#opened.set(line.entry, line);
    watch(this.#keys.place, line);
  }

  /** Takes the lock if it is free for that mode and no request waits for it. */
  tryTake({ name, mode }: LockRequest): Line | undefined {
    const known = this.#ofNames.get(name);
    return this.#keys.visit(name, known, (entry) => {
      const line = this.#lineOf(name, entry, known);
      return line.semaphore.tryAcquire(permitsOf(mode)) ? line : undefined;
    });
  }

  /**
   * Takes the lock, or draws a ticket in its line. Then it calls `granted` when the lock is taken, or `refused` with
   * what ended the wait; never at once.
   */
  draw({ name, mode, signal }: LockRequest, granted: () => void, refused: (failure: unknown) => void): Drawn {
    const known = this.#ofNames.get(name);
    return this.#keys.visit(name, known, (entry) => {
      const line = this.#lineOf(name, entry, known);
      const { semaphore } = line;
      const permits = permitsOf(mode);
      const isTaken = semaphore.tryAcquire(permits);
      if (!isTaken)
        semaphore.acquireAsync(permits, signal === undefined ? undefined : { signal }).then(granted, refused);
      return { line, isTaken };
    });
  }

  /** Takes the lock from its holders. */
  steal(name: string): Line {
    const { table } = this.#keys;
    return this.#keys.visit(name, undefined, (entry) => {
      const old = this.open(entry);
      if (old.semaphore.tryAcquire(ALL)) return old;
      // What earlier holders left whose lock was stolen before they died.
      table.collect();
      // Taken once it is in the table: what is beside the table is never held by an agent that died on the way.
      const taken = this.open(table.replace(entry, name, hashOf(name)));
      taken.semaphore.tryAcquire(ALL);
      endLine(this.#keys.blocks.placeOf(entry));
      this.#tidy(old, name);
      return taken;
    });
  }

  /** Releases the lock. The waits of this agent that can have it then settle at once, without their wake-ups. */
  release(line: Line, name: string, mode: LockMode): void {
    const { table } = this.#keys;
    const permits = permitsOf(mode);
    if (table.stays(line.entry)) {
      line.semaphore.release(permits);
      // Afterwards: a steal may have replaced the line (table.ts, invariant 3). Another thread may also have freed the
      // lock manager.
      if (!table.stays(line.entry)) this.leave(line, name);
    } else {
      this.#keys.under(() => {
        line.semaphore.release(permits);
        this.#tidy(line, name);
      });
    }
    line.asyncWaits.settleOwn(permits);
  }

  /** After a wait that failed, or a release. */
  leave(line: Line, name: string): void {
    this.#keys.afterWait(() => this.#tidy(line, name));
  }

  /** The line of an entry that has that name. `known`: what this agent has found there before. */
  #lineOf(name: string, entry: number, known: Line | undefined): Line {
    if (known?.entry === entry && known.tag === this.#tagOf(entry)) return known;
    const line = this.open(entry);
    if (this.#ofNames.size >= MOST_OPENED) this.#ofNames.clear();
    this.#ofNames.set(name, line);
    return line;
  }

  /** Lets go of a line if no agent uses it. */
  #tidy({ entry, tag }: Line, name: string): void {
    const { table } = this.#keys;
    // Another agent has freed it.
    if (this.#tagOf(entry) !== tag) return;
    if (table.find(name, hashOf(name)) === entry) table.tidy(entry);
    else if (this.#keys.blocks.isFree(entry, true)) this.#keys.blocks.free(entry);
  }

  /** The tag of a line, also of one that has ended. */
  #tagOf(entry: number): number {
    return Math.abs(this.#keys.context.words.load32(entry + BLOCK_TAG));
  }
}
