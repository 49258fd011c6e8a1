// The lines of a lock manager as one agent sees them. This agent takes locks, draws tickets and releases locks under
// the mutex of the table.

import { tagAt } from '@sluice/core/internal';
import type { LockMode } from './held-lock.ts';
import type { KeyTable } from '../table/key-table.ts';
import { USUALLY_KEPT } from '../table/layout.ts';
import { ALL, endLine, openLine, permitsOf, watch, type RequestQueue } from './request-queue.ts';
import type { LockRequest } from './lock-request.ts';

/** The number of opened lines that are kept for later requests. */
const MAX_OPENED = 2 * USUALLY_KEPT;

/** A request that may have to let earlier ones draw their tickets first. */
export interface Drawer {
  /** Whether the request may draw a ticket now. Called under the mutex of the table. */
  readonly mayDraw: () => boolean;
}

/** A request in a line. */
export interface Drawn {
  readonly line: RequestQueue;
  /** Whether the lock was free. */
  readonly isTaken: boolean;
}

export class LockLines {
  readonly #keys: KeyTable;
  readonly #opened = new Map<number, RequestQueue>();
  /** The lines of the last requests, by the names of their locks. */
  readonly #ofNames = new Map<string, RequestQueue>();

  constructor(keys: KeyTable) {
    this.#keys = keys;
  }

  /** Returns the line of an entry. Call it under the mutex of the table. */
  open(entry: number): RequestQueue {
    const known = this.#opened.get(entry);
    if (known !== undefined && this.#tagOf(entry) === known.tag) return known;
    // Keeps watched lines: if another object for the same line were opened, it would be watched, too, by a wait that
    // ends only with the line.
    if (this.#opened.size >= MAX_OPENED)
      for (const [at, { held, isWatched }] of this.#opened) if (held.size === 0 && !isWatched) this.#opened.delete(at);
    const line = openLine(this.#keys.blocks.refOf(entry));
    this.#opened.set(entry, line);
    return line;
  }

  /**
   * Watches a line whose lock a request holds. The line may have been dropped from the cache since the request was
   * made.
   */
  keep(line: RequestQueue): void {
    if (this.#opened.get(line.entry)?.tag !== line.tag) this.#opened.set(line.entry, line);
    watch(this.#keys.ref, line);
  }

  /**
   * Takes the lock if it is free for that mode, no request waits for it, and `drawer` may draw. Returns its line.
   */
  tryTake({ name, mode }: LockRequest, drawer: Drawer): RequestQueue | undefined {
    return this.#ifNext(name, drawer, (line) => (line.semaphore.tryAcquire(permitsOf(mode)) ? line : undefined));
  }

  /**
   * Takes the lock, or draws a ticket in its line. It later calls `granted` when the lock is taken, or `refused` with
   * the failure of the wait. It calls neither before it returns.
   *
   * If `drawer` may not draw, the call changes nothing and returns `undefined`. No steal replaces the line between that
   * question and the ticket.
   */
  draw(
    { name, mode, signal }: LockRequest,
    drawer: Drawer,
    granted: () => void,
    refused: (failure: unknown) => void,
  ): Drawn | undefined {
    return this.#ifNext(name, drawer, (line) => {
      const { semaphore } = line;
      const permits = permitsOf(mode);
      const isTaken = semaphore.tryAcquire(permits);
      if (!isTaken)
        semaphore.acquireAsync(permits, signal === undefined ? undefined : { signal }).then(granted, refused);
      return { line, isTaken };
    });
  }

  /** Calls `take` with the line, under the mutex of the table. Returns `undefined` if `drawer` may not draw. */
  #ifNext<T>(name: string, drawer: Drawer, take: (line: RequestQueue) => T): T | undefined {
    const known = this.#ofNames.get(name);
    return this.#keys.visit(name, known, (entry) => {
      if (drawer.mayDraw()) return take(this.#lineOf(name, entry, known));
      this.#keys.table.tidy(entry);
      return undefined;
    });
  }

  /** Takes the lock from its holders. Returns the new line. */
  steal(name: string): RequestQueue {
    const { table } = this.#keys;
    return this.#keys.visit(name, undefined, (entry) => {
      const old = this.open(entry);
      if (old.semaphore.tryAcquire(ALL)) return old;
      // Frees entries of earlier holders whose lock was stolen before they died.
      table.collect();
      // Takes the new line once it is in the table: if this agent dies before, no lock outside the table stays held.
      const taken = this.open(table.replace(entry, name, this.#keys.hashOf(name)));
      taken.semaphore.tryAcquire(ALL);
      endLine(this.#keys.blocks.refOf(entry));
      this.#tidy(old, name);
      return taken;
    });
  }

  /** Releases the lock. Waits of this agent that can then have the lock settle at once, without a wake-up. */
  release(line: RequestQueue, name: string, mode: LockMode): void {
    const { table } = this.#keys;
    const permits = permitsOf(mode);
    if (table.stays(line.entry)) {
      line.semaphore.release(permits);
      // After the release: a steal may have replaced the line (entry-lists.ts, invariant 3). Another thread may also have
      // freed the lock manager.
      if (!table.stays(line.entry)) this.leave(line, name);
    } else {
      this.#keys.under(() => {
        line.semaphore.release(permits);
        this.#tidy(line, name);
      });
    }
    line.asyncWaits.settleOwn(permits);
  }

  /** Ends a use of a line after a wait that failed, or a release. */
  leave(line: RequestQueue, name: string): void {
    this.#keys.afterWait(() => this.#tidy(line, name));
  }

  /** Returns the line of an entry that has that name. `known` is the line that this agent found there before. */
  #lineOf(name: string, entry: number, known: RequestQueue | undefined): RequestQueue {
    if (known?.entry === entry && known.tag === this.#tagOf(entry)) return known;
    const line = this.open(entry);
    if (this.#ofNames.size >= MAX_OPENED) this.#ofNames.clear();
    this.#ofNames.set(name, line);
    return line;
  }

  /** Removes a line that no agent uses, or makes it a resident. */
  #tidy({ entry, tag }: RequestQueue, name: string): void {
    const { table } = this.#keys;
    // Another agent has freed the line.
    if (this.#tagOf(entry) !== tag) return;
    if (table.find(name, this.#keys.hashOf(name)) === entry) table.tidy(entry);
    else if (this.#keys.blocks.isFree(entry, true)) this.#keys.blocks.free(entry);
  }

  /** Returns the tag of a line, also if it has ended. */
  #tagOf(entry: number): number {
    return tagAt(this.#keys.context.words, entry);
  }
}
