// The news of the server for a session: messages, and answers to the questions that a session asks with each heartbeat.
//
// 1. A message is a hint. The session asks the server for news that it may have missed with each heartbeat. After a
//    break of a connection it asks twice, at once and a little later, because the client library may have lost the
//    channel without notice.
// 2. If no wait has the number of a message, the message is a late copy, or the grant of an abandoned wait. It changes
//    nothing: the `cancel` of an abandoned wait gives its grant back.
// 3. A server that failed over may have forgotten a release or a cancel. After each break of the connection the session
//    asks for all waits and grants that the server has under its name. It gives back those that it does not know.

import type { ServerReply } from './session-calls.ts';
import { Channel } from './channel.ts';
import type { RemoteEngine } from '../engine/engine.ts';
import { MESSAGE, type OperationName } from '../engine/protocol.ts';
import type { Deadline } from './deadline.ts';
import type { SessionEntries } from './session-entries.ts';
import { HeartbeatTimer } from './heartbeat-timer.ts';
import type { Rounds } from './rounds.ts';
import type { Timing } from '../engine/timing.ts';

/** The number of entries in one heartbeat: a call must be short. */
const CHUNK = 200;
/** A waiting session asks this many ms after the end of another session's lease. */
const AFTER_LEASE_MS = 5;
/**
 * After a connection broke, a session asks once more after this part of the lease: its channel may be silent since
 * then.
 */
const AFTER_BREAK = 1 / 12;

interface Sources {
  readonly engine: RemoteEngine;
  readonly timing: Timing;
  readonly id: string;
  readonly entries: SessionEntries;
  readonly deadline: Deadline;
}

/** The session that gets the news. */
export interface InformedSession {
  readonly lease: number;
  readonly rounds: Rounds;
  call(operation: OperationName, args: readonly (string | number)[], ref: boolean): Promise<ServerReply>;
  /** Called when a wait was granted. */
  granted(seq: number, token: string, asked: boolean): void;
  /** Leaves a line in which no caller waits any more. */
  abandon(key: string, seq: number, permits: number): void;
}

export class Heartbeat {
  readonly #session: InformedSession;
  readonly #entries: SessionEntries;
  readonly #deadline: Deadline;
  readonly #channel: Channel;
  readonly #timer: HeartbeatTimer;
  /** Whether the connection broke since the session last compared its state with the server's. */
  #audit = false;

  constructor(session: InformedSession, { engine, timing, id, entries, deadline }: Sources) {
    this.#session = session;
    this.#entries = entries;
    this.#deadline = deadline;
    this.#channel = new Channel(
      engine,
      timing,
      id,
      (message) => this.#receive(message),
      () => this.onDisconnect(),
    );
    this.#timer = new HeartbeatTimer(timing, session.lease / 3, () => this.#round());
  }

  /** Subscribes to the messages. */
  open(): Promise<void> {
    return this.#channel.open();
  }

  start(): void {
    this.#timer.start();
    // The connection broke before the engine knew the session. A heartbeat sent at that time would have ended the session,
    // so it is sent now.
    if (this.#audit) this.#timer.beat();
  }

  stop(): void {
    this.#timer.stop();
  }

  close(): void {
    this.#channel.close();
  }

  /** The number of grants that were found by asking, and of new subscriptions of the channel. */
  get counts(): Channel['counts'] {
    return this.#channel.counts;
  }

  /** Makes the next heartbeat compare the session's state with the server's. */
  requestAudit(): void {
    this.#audit = true;
  }

  /** Called after the connection broke: messages may have been lost, and the server may be another one. */
  onDisconnect(): void {
    this.#audit = true;
    this.#timer.beat();
  }

  #receive(message: string): void {
    const [kind, what = '', token = '', asked] = message.split(' ');
    if (kind === MESSAGE.granted) {
      this.#channel.announced(Number(what));
      this.#session.granted(Number(what), token, asked === '1');
    } else if (kind === MESSAGE.closed) {
      const wait = this.#entries.waits.get(Number(what));
      wait?.fail(wait.line.closed());
    } else if (kind === MESSAGE.pokeLater) {
      this.#entries.waits.get(Number(what))?.poke(Number(token));
    } else if (kind === MESSAGE.askAgain) {
      // The wait asks again. It then learns that the once is done, or that its booking would be too far ahead.
      this.#entries.waits.get(Number(what))?.enqueue();
    } else if (kind === MESSAGE.wanted) {
      // A name may have spaces.
      this.#entries.asked(message.slice(MESSAGE.wanted.length + 1));
    } else if (kind === MESSAGE.ended) {
      for (const seq of this.#session.rounds.told(message)) this.#channel.announced(seq);
    }
  }

  /**
   * Makes one heartbeat. Resolves with the delay in ms until the next one: a waiter must notice the end of another
   * lease.
   */
  async #round(): Promise<number> {
    const next = await this.#askAll();
    const isAudit = this.#audit;
    if (isAudit) await this.#compare();
    const ofOthers = this.#entries.waits.size + this.#session.rounds.size > 0 ? next + AFTER_LEASE_MS : Infinity;
    return isAudit ? Math.min(ofOthers, this.#session.lease * AFTER_BREAK) : ofOthers;
  }

  /** Renews the lease and asks about all entries. Resolves with the ms until the next lease of any session ends. */
  async #askAll(): Promise<number> {
    const entries = [...this.#entries.listed(), ...this.#session.rounds.listed()];
    let wait = Infinity;
    for (let at = 0; at === 0 || at < entries.length; at += CHUNK) {
      const sent = this.#deadline.moment;
      const some = entries.slice(at, at + CHUNK);
      const { reply } = await this.#session.call('beat', [this.#session.lease, ...some.flat()], false);
      this.#deadline.extend(sent);
      this.#session.rounds.forgotten(some);
      wait = Math.min(wait, Number(reply[1]));
      for (let i = 2; i + 1 < reply.length; i += 2) this.#answered(Number(reply[i]), reply[i + 1] ?? '');
    }
    return wait;
  }

  /** Gives back waits and grants that the server has under this session's name and that this process does not know. */
  async #compare(): Promise<void> {
    this.#audit = false;
    // Recall first. A server that lost the end of a generation lists its waits as pending. Abandoning such a wait below
    // would break the barrier.
    for (const [key, round] of this.#session.rounds.allSeen) await this.#session.call('recall', [key, round], false);
    const { reply } = await this.#session.call('mine', [], false);
    for (let i = 1; i + 2 < reply.length; i += 3) {
      const seq = Number(reply[i + 1]);
      if (!this.#entries.knows(seq) && !this.#session.rounds.knows(seq))
        this.#session.abandon(reply[i] ?? '', seq, Number(reply[i + 2]));
    }
  }

  /** Handles the answer of a heartbeat about one entry. The entry may have been granted, released or given up since. */
  #answered(seq: number, answer: string): void {
    if (this.#session.rounds.knows(seq)) {
      if (this.#session.rounds.take(seq, answer)) this.#channel.found(seq);
      return;
    }
    if (this.#entries.take(seq, answer)) return;
    this.#channel.found(seq);
    this.#session.granted(seq, answer, false);
  }
}
