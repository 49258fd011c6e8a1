// The grants and waits of a session, by the number of the `acquire` that began them. A wait that is granted moves to
// the grants. A heartbeat lists both, and the server's answer has the news that this process may have missed.

import { ClosedError } from '@sluice/core';
import { leaseLost, type Grant } from './grant.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';

/** A wait at the server that is listed. */
export interface ListedWait {
  readonly line: RemotePrimitive;
  readonly seq: number;
  readonly permits: number;
  readonly inLine: boolean;
  grant(grant: Grant): void;
  fail(reason: unknown): void;
  /** Sends the wait again. */
  enqueue(): void;
  /** Calls `poke` in `dueMs` ms, when the permits of a rate are available. */
  poke(dueMs: number): void;
}

/** The line, the number, the permits, and whether they are held. */
type Entry = readonly [key: string, seq: number, permits: number, held: 0 | 1];

export class SessionEntries {
  readonly waits = new Map<number, ListedWait>();
  readonly held = new Map<number, Grant>();
  /** Grants of signals that the server has been told to forget. */
  readonly settling = new Set<number>();

  knows(seq: number): boolean {
    return this.held.has(seq) || this.waits.has(seq) || this.settling.has(seq);
  }

  /** Returns the entries for a heartbeat. */
  listed(): Entry[] {
    const held = [...this.held.values()].map(({ line, seq, permits }): Entry => [line.key, seq, permits, 1]);
    const inLine = [...this.waits.values()].filter((wait) => wait.inLine);
    return [...held, ...inLine.map(({ line, seq, permits }): Entry => [line.key, seq, permits, 0])];
  }

  /** Called when another session waits for permits of a line that this session holds. */
  asked(key: string): void {
    for (const grant of this.held.values()) {
      if (grant.line.key !== key) continue;
      grant.ask();
      grant.line.onAsked();
    }
  }

  /**
   * Takes in the server's answer about one entry. Returns false if the answer is the token with which it granted a
   * wait.
   */
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

  /** Ends all entries, because the session ended: every grant is lost, and every wait fails. */
  end(reason: Error): void {
    for (const grant of this.held.values())
      grant.lose(reason instanceof ClosedError ? leaseLost(grant.line.title, 'the space was closed') : reason);
    // The call of a wait that is not in line rejects, and says whether the engine has run it. If it was answered in this
    // turn, the wait finds the end (wait.ts).
    for (const wait of [...this.waits.values()]) if (wait.inLine) wait.fail(reason);
    this.held.clear();
  }
}
