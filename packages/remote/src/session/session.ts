// One lease on the server, and everything that this process holds and waits for under it.
//
//   state    means                                                      written by
//   open     the lease runs; heartbeats renew it                         open
//   lost     its holder may be dead to the server: for ever              lose: a deadline, or the server's answer
//   closed   the program closed the space                               close
//
// 1. This process notices the loss of its lease before the server grants anything to another process (deadline.ts).
// 2. The session learns news of the server from messages, and from the answers to each heartbeat (heartbeat.ts).
// 3. An interrupted call is sent again with the next generation (session-calls.ts).

import { attach } from './attach.ts';
import { SessionCalls, type ServerReply } from './session-calls.ts';
import { Changes } from './changes.ts';
import { Deadline } from './deadline.ts';
import { SessionEntries, type ListedWait } from './session-entries.ts';
import { Grant, leaseLost } from './grant.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import { Heartbeat } from './heartbeat.ts';
import { Rounds } from './rounds.ts';
import type { RemoteEngine } from '../engine/engine.ts';
import type { OperationName } from '../engine/protocol.ts';
import { pause, type Timing } from '../engine/timing.ts';
import { SpentGrants } from './spent-grants.ts';

/** The time that `close` waits for the server, in ms. Without an answer the lease ends by itself. */
const CLOSE_MS = 1000;

export interface SessionOptions {
  readonly lease: number;
  readonly label: string;
  readonly engine: RemoteEngine;
  readonly timing: Timing;
}

export class Session {
  readonly id = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  /** The waits at latches and barriers, and the parts of them that the session owns. */
  readonly rounds: Rounds;
  readonly changes = new Changes(this);
  readonly #options: SessionOptions;
  readonly #entries = new SessionEntries();
  readonly #calls: SessionCalls;
  readonly #deadline: Deadline;
  readonly #heartbeat: Heartbeat;
  readonly #spentGrants: SpentGrants;
  #ended: Error | undefined;
  #seq = 0;

  private constructor(options: SessionOptions, former: Session | undefined) {
    this.#options = options;
    this.rounds = new Rounds(former?.rounds);
    const { timing, lease, engine } = options;
    this.#deadline = new Deadline(timing, lease, () => this.#look());
    this.#heartbeat = new Heartbeat(this, {
      engine,
      timing,
      id: this.id,
      entries: this.#entries,
      deadline: this.#deadline,
    });
    this.#spentGrants = new SpentGrants(
      timing,
      lease / 3,
      (key, seqs) => this.call('settle', [key, ...seqs], false),
      (seq) => this.forgotten(seq),
    );
    this.#calls = new SessionCalls(engine, timing, this.id, {
      ended: () => this.ended,
      gone: () => this.#lose('the server does not know the session any more'),
      interrupted: () => this.#heartbeat.onDisconnect(),
      doubtful: () => this.#heartbeat.requestAudit(),
    });
  }

  /**
   * Subscribes, then begins a lease. `former` is the earlier session of this process. Rejects with `EngineError` or
   * `Interrupted`.
   */
  static async open(options: SessionOptions, former?: Session): Promise<Session> {
    const session = new Session(options, former);
    try {
      await session.#heartbeat.open();
      await session.#attach(former?.id);
    } catch (failure) {
      session.#heartbeat.close();
      throw failure;
    }
    return session;
  }

  /** The reason why this lease can no longer be used. `undefined` if it can. */
  get ended(): Error | undefined {
    this.#look();
    return this.#ended;
  }

  /** Throws if the lease has ended. Reads both clocks: after a pause or a standby the timers may not have run yet. */
  checkLease(): void {
    this.#look();
    if (this.#ended !== undefined) throw this.#ended;
  }

  get lease(): number {
    return this.#options.lease;
  }

  /** The end of the lease by the wall clock. */
  get wallDeadline(): number {
    return this.#deadline.wall;
  }

  /** The number of grants that were found by asking, and of new subscriptions of the channel. */
  get counts(): Heartbeat['counts'] {
    return this.#heartbeat.counts;
  }

  nextSeq(): number {
    return ++this.#seq;
  }

  /** Calls an operation until it is answered (session-calls.ts). Rejects when the session ends. */
  call(
    operation: OperationName,
    args: readonly (string | number)[],
    ref = true,
    wanted = (): boolean => true,
  ): Promise<ServerReply> {
    return this.#calls.call(operation, args, ref, wanted);
  }

  /** Lists a wait, so that messages and heartbeats find it. */
  list(wait: ListedWait): void {
    this.#entries.waits.set(wait.seq, wait);
  }

  unlist(wait: ListedWait): void {
    this.#entries.waits.delete(wait.seq);
  }

  /** Called when a wait was granted: by a reply, a message, or a heartbeat. */
  granted(seq: number, token: string, asked: boolean): void {
    const wait = this.#entries.waits.get(seq);
    if (wait === undefined) return;
    // The lease may have ended during a pause.
    this.#look();
    if (this.#ended !== undefined) return;
    const grant = new Grant(this, wait.line, seq, wait.permits, token, asked);
    this.#entries.held.set(seq, grant);
    wait.grant(grant);
  }

  /** Gives back a grant, or a part of it. */
  async release(grant: Grant): Promise<void> {
    this.checkLease();
    const { line, seq, permits } = grant;
    if (permits === 0) this.#entries.held.delete(seq);
    const { reply, again } = await this.call('release', [line.key, seq, permits]);
    this.takeGrants(reply, 1);
    if (reply[0] === 'absent' && !again) {
      const lost = leaseLost(line.title, 'the server has lost the grant');
      grant.lose(lost);
      throw lost;
    }
  }

  /**
   * Forgets the grant of a signal without giving its permits back. Until the server has forgotten the grant, `#compare`
   * must not give the permits back either.
   */
  settle(line: RemotePrimitive, seq: number): void {
    this.#entries.held.delete(seq);
    this.#entries.settling.add(seq);
    // If the server refuses the call, it keeps the grant for the lifetime of the session.
    this.call('release', [line.key, seq, 0], false).then(
      ({ reply }) => {
        this.takeGrants(reply, 1);
        this.#entries.settling.delete(seq);
      },
      () => undefined,
    );
  }

  /**
   * Records that the permits of a rate's grant are used up, or booked. The server keeps its record until `forget`, and
   * `#compare` must know of it.
   */
  use(seq: number): void {
    this.#entries.held.delete(seq);
    this.#entries.settling.add(seq);
  }

  /** Drops a grant that the server has ended in a call of another kind. */
  drop(seq: number): void {
    this.#entries.held.delete(seq);
  }

  /** Lets the server forget a grant of a rate. The call may be delayed for a short time. */
  forget(line: RemotePrimitive, seq: number): void {
    this.#spentGrants.add(line.key, seq);
  }

  /** Called when the server has forgotten a grant of a rate. */
  forgotten(seq: number): void {
    this.#entries.settling.delete(seq);
  }

  /**
   * Leaves a line in which no caller waits any more. If the server has granted the permits in the meantime, it takes
   * them back.
   */
  abandon(key: string, seq: number, permits: number): void {
    this.call('cancel', [key, seq, permits], false).then(
      ({ reply }) => {
        if (reply[0] === 'ended') this.rounds.learn(key, seq);
        else this.takeGrants(reply, 1);
      },
      () => undefined,
    );
  }

  /** Adds permits to a signal. */
  async post(line: RemotePrimitive, permits: number): Promise<void> {
    const { reply } = await this.changes.make('post', line, permits);
    if (reply[0] === 'closed') return;
    if (reply[0] === 'cap') throw line.otherSize(reply[1] ?? '');
    this.takeGrants(reply, 1);
  }

  /** Takes in the grants of this session from a reply, from index `from` on. */
  takeGrants(reply: readonly string[], from: number): void {
    for (let i = from; i + 2 < reply.length; i += 3) {
      this.granted(Number(reply[i]), reply[i + 1] ?? '', reply[i + 2] === '1');
    }
  }

  /**
   * Ends the session: the server gives everything that the session holds to the next waiters. Waits reject with
   * `reason`.
   */
  async close(reason: Error): Promise<void> {
    if (this.#ended !== undefined) return;
    const leaving = this.#options.engine.run(['detach', this.id, this.#calls.generation], true);
    this.#end(reason);
    await Promise.race([leaving, pause(this.#options.timing, CLOSE_MS)]).catch(() => undefined);
    this.#heartbeat.close();
  }

  async #attach(former: string | undefined): Promise<void> {
    const { lease, label, engine, timing } = this.#options;
    const sent = this.#deadline.moment;
    this.#calls.generation = await attach(engine, timing, this.id, lease, label, former);
    this.#deadline.extend(sent);
    this.#heartbeat.start();
  }

  /** Ends the session if the lease has ended by one of the clocks. */
  #look(): void {
    if (this.#ended === undefined && this.#deadline.passed)
      this.#lose(`the lease was not renewed in time${this.#calls.failure}`);
  }

  #lose(why: string): void {
    if (this.#ended !== undefined) return;
    this.#end(leaseLost('The session', why));
    this.#heartbeat.close();
  }

  #end(reason: Error): void {
    this.#ended = reason;
    this.#deadline.stop();
    this.#heartbeat.stop();
    this.#spentGrants.stop();
    this.#entries.end(reason);
    this.rounds.end(reason);
    this.#calls.end(reason);
  }
}
