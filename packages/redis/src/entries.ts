// What a session holds and waits for, by the number of the `acquire` that began it. A wait that is granted moves from
// the waits to the grants. A heartbeat lists both, and the server says of each what this process may have missed.

import { ClosedError } from '@sluice/core';
import { leaseLost, type Grant } from './grant.ts';
import type { Line } from './line.ts';

/** A wait at the server that is listed. */
export interface ListedWait {
  readonly line: Line;
  readonly seq: number;
  readonly permits: number;
  readonly inLine: boolean;
  grant(grant: Grant): void;
  fail(reason: unknown): void;
  /** Sends the wait again. */
  enqueue(): void;
  /** Calls once the permits of a rate are there, in `dueMs` ms. */
  poke(dueMs: number): void;
}

/** The line, the number, the permits, and whether they are held. */
type Entry = readonly [key: string, seq: number, permits: number, held: 0 | 1];

export class Entries {
  readonly waits = new Map<number, ListedWait>();
  readonly held = new Map<number, Grant>();
  /** Grants of signals that the server has been told to forget. */
  readonly settling = new Set<number>();

  knows(seq: number): boolean {
    return this.held.has(seq) || this.waits.has(seq) || this.settling.has(seq);
  }

  /** What a heartbeat asks about. */
  listed(): Entry[] {
    const held = [...this.held.values()].map(({ line, seq, permits }): Entry => [line.key, seq, permits, 1]);
    const inLine = [...this.waits.values()].filter((wait) => wait.inLine);
    return [...held, ...inLine.map(({ line, seq, permits }): Entry => [line.key, seq, permits, 0])];
  }

  /** Another session waits for what this one holds of a line. */
  asked(key: string): void {
    for (const grant of this.held.values()) {
      if (grant.line.key !== key) continue;
      grant.ask();
      grant.line.onAsked();
    }
  }

  /** Takes in what the server said about one entry. False: it said the token with which it granted a wait. */
  take(seq: number, answer: string): boolean {
    const grant = this.held.get(seq);
    if (answer === 'gone') {
      this.held.delete(seq);
      grant?.lose(leaseLost(grant.line.title, 'the server has lost the grant'));
    } else if (answer === 'asked') {
      if (grant !== undefined) this.asked(grant.line.key);
    } else if (answer === 'lost') {
      this.waits.get(seq)?.enqueue();
    } else {
      return !this.waits.has(seq);
    }
    return true;
  }

  /** The session ended: every grant is lost, every wait fails. */
  end(reason: Error): void {
    for (const grant of this.held.values())
      grant.lose(reason instanceof ClosedError ? leaseLost(grant.line.title, 'the space was closed') : reason);
    for (const wait of [...this.waits.values()]) wait.fail(reason);
    this.held.clear();
    this.waits.clear();
  }
}
