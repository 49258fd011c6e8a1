// The server of a namespace: it runs the steps of all members, while it has the token.
//
// 1. The steps that came together run together: their records are one write, and one look at the token follows. Then
//    the answers and messages go out (../folder/claim.ts).
// 2. If the token is gone, or the journal cannot be written, the server answers nothing and ends. The members find its
//    successor, and send again what got no answer.
// 3. When the connection of a member ends, the server connects to the member's own socket. If that refuses, the process
//    is dead, and its sessions end at once. Otherwise its leases decide. The server watches that connection, too.

import { dropOwner, Expiry, onlyReads, runStep, shapeOf, takesMore, type State } from '@sluice/remote/steps';
import { run, stillServes, tokenName, type Token } from '../folder/claim.ts';
import type { Files } from '../folder/folder-files.ts';
import { deathRecord, Journal, restore, stepRecord } from '../folder/journal.ts';

/** One member, as the server sees it. */
export interface SpaceMember {
  readonly owner: string;
  /** Sends the answer to a call: words, or an error. */
  answer(call: number, words: readonly string[] | undefined, error: string): void;
  /** Sends a message for a session. */
  tell(session: string, message: string): void;
}

/** One call of a member. */
export interface MemberCall {
  readonly member: SpaceMember;
  readonly number: number;
  readonly words: readonly unknown[];
}

export interface ServerOptions {
  readonly files: Files;
  readonly token: Token;
  /** The wall clock in µs. */
  readonly micros: () => number;
  /**
   * Called for a member without a connection. `onDead` must be called when its process is dead. The returned function
   * ends the watch.
   */
  readonly watch: (owner: string, onDead: () => void) => () => void;
  /** Called when another member serves now, or this one cannot. */
  readonly onEnd: () => void;
}

/** How many primitives each call looks at for one whose time is over. */
const EXPIRED_PER_CALL = 4;

export const NO_SPACE = 'The device of the folder has no space left, and the call needs some. Nothing was changed.';

export class Server {
  readonly token: Token;
  readonly #options: ServerOptions;
  readonly #state: State;
  readonly #journal: Journal;
  readonly #expiry: Expiry;
  readonly #members = new Map<string, SpaceMember>();
  readonly #watches = new Map<string, () => void>();
  /** What goes out when the records are written. */
  #out: (() => void)[] = [];
  #records = '';
  #ended = false;

  private constructor(options: ServerOptions, state: State, journal: Journal) {
    this.#options = options;
    this.token = options.token;
    this.#state = state;
    this.#expiry = new Expiry(state);
    this.#journal = journal;
    // A claim may have come in between. Then the first batch finds out.
    this.#watchAll();
  }

  /** Begins to serve. Call this after the claim. Throws if the journals cannot be read or written. */
  static *begin(options: ServerOptions): Generator<void, Server> {
    const { files, token, micros } = options;
    const state = yield* restore(files, micros());
    return new Server(options, state, yield* Journal.begin(files, token, state, micros()));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** A member has connected. Returns whether this server still serves. */
  *join(member: SpaceMember): Generator<void, boolean> {
    if (!(yield* this.#check())) return false;
    this.#members.set(member.owner, member);
    this.#unwatch(member.owner);
    return true;
  }

  /** The connection of a member has ended. */
  leave(member: SpaceMember): void {
    if (this.#members.get(member.owner) !== member) return;
    this.#members.delete(member.owner);
    if (!this.#ended && this.#hasSessions(member.owner)) this.#watch(member.owner);
  }

  /** Runs calls that came together, in their order. */
  *handle(calls: readonly MemberCall[]): Generator<void, void> {
    if (this.#ended) return;
    const us = this.#options.micros();
    for (const call of calls) this.#run(us, call);
    // More than the calls add, so the values of caches and the rates of keys that are over do not pile up.
    this.#expiry.sweep(us, EXPIRED_PER_CALL * calls.length);
    yield* this.#commit(us);
  }

  /** Renews the times of the files, which programs that remove old files look at. */
  touch(): void {
    if (run(this.#check())) this.#options.files.touch(tokenName(this.token));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
    this.#journal.close();
    this.#options.onEnd();
  }

  #run(us: number, { member, number, words }: MemberCall): void {
    const shaped = shapeOf(words);
    if (typeof shaped === 'string') return this.#answer(member, number, undefined, `The call was refused: ${shaped}.`);
    const reads = onlyReads(this.#state, us, shaped);
    const record = reads ? '' : stepRecord(us, member.owner, words);
    // A character has at most three bytes in UTF-8.
    const bytes = (this.#records.length + record.length) * 3;
    const hasSpace = reads || (takesMore(shaped) ? this.#journal.hasSpace(bytes) : this.#journal.hasRest(bytes));
    if (!hasSpace) return this.#answer(member, number, undefined, NO_SPACE);
    const reply = runStep(this.#state, this.#send, us, member.owner, shaped);
    this.#records += record;
    this.#answer(member, number, reply, '');
  }

  #answer(member: SpaceMember, call: number, words: readonly string[] | undefined, error: string): void {
    this.#out.push(() => member.answer(call, words, error));
  }

  readonly #send = (session: string, message: string): void => {
    const owner = this.#state.sessions.get(session)?.owner;
    if (owner !== undefined) this.#out.push(() => this.#members.get(owner)?.tell(session, message));
  };

  /** Writes the records, checks the token, and then sends what is to go out. */
  *#commit(us: number): Generator<void, void> {
    const records = this.#records;
    const out = this.#out;
    this.#records = '';
    this.#out = [];
    try {
      yield;
      if (records !== '') this.#journal.append(records);
    } catch {
      this.end();
      return;
    }
    // After the append, so that a successor that claims after this look reads the records.
    if (!(yield* this.#check())) return;
    for (const each of out) each();
    this.#shorten(us);
  }

  #shorten(us: number): void {
    try {
      this.#journal.shorten(this.#state, us);
    } catch {
      this.end();
    }
  }

  *#check(): Generator<void, boolean> {
    if (!this.#ended && !(yield* stillServes(this.#options.files, this.token))) this.end();
    return !this.#ended;
  }

  #hasSessions(owner: string): boolean {
    for (const session of this.#state.sessions.values()) if (session.owner === owner) return true;
    return false;
  }

  /** No member is connected yet. Some may have died with the server before. */
  #watchAll(): void {
    for (const { owner } of this.#state.sessions.values()) this.#watch(owner);
  }

  #watch(owner: string): void {
    if (this.#members.has(owner) || this.#watches.has(owner)) return;
    const stop = this.#options.watch(owner, () => run(this.#died(owner)));
    this.#watches.set(owner, stop);
  }

  #unwatch(owner: string): void {
    this.#watches.get(owner)?.();
    this.#watches.delete(owner);
  }

  /** The process of a member is dead: its sessions end at once. */
  *#died(owner: string): Generator<void, void> {
    this.#unwatch(owner);
    if (this.#ended || this.#members.has(owner)) return;
    const us = this.#options.micros();
    this.#records += deathRecord(us, owner);
    dropOwner(this.#state, this.#send, us, owner);
    yield* this.#commit(us);
  }
}
