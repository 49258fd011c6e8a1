// One lease on the server, and everything that this process holds and waits for under it.
//
//   state    means                                                      written by
//   open     the lease runs; heartbeats renew it                         open
//   lost     its holder may be dead to the server: for ever              lose: a deadline, or the server's answer
//   closed   the program closed the space                               close
//
// 1. This process knows of the loss of its lease before the server lets another one in (deadline.ts).
// 2. A wake-up is a hint. The session asks the server for what it may have missed: with each heartbeat, and after a break of a connection
//    twice, at once and a little later, because the client library may have lost the channel without a sign.
// 3. A message for a number that does not wait is a late copy, or the grant of a wait that was given up. It changes nothing: the `cancel` of
//    such a wait gives the grant back.
// 4. A server that failed over may have forgotten a release or a cancel. After each break of the connection the session asks for everything
//    that the server has under its name, and gives back what it does not know.
// 5. An interrupted call is sent again with the next generation (calls.ts).

import { attach } from './attach.ts';
import { Calls, type Answer } from './calls.ts';
import { Changes } from './changes.ts';
import { Channel } from './channel.ts';
import type { Port } from './clients/port.ts';
import { Deadline } from './deadline.ts';
import { Entries } from './entries.ts';
import { Grant, leaseLost } from './grant.ts';
import { Heart } from './heart.ts';
import type { Line } from './line.ts';
import { Rounds } from './rounds.ts';
import type { ScriptCaller } from './server.ts';
import { pause, type Timing } from './timing.ts';
import { UsedUp } from './used-up.ts';
import type { Wait } from './wait.ts';

/** How many entries one heartbeat carries: a call must be short. */
const CHUNK = 200;
/** How long `close` waits for the server. Without an answer the lease ends by itself. */
const CLOSE_MS = 1000;
/** How much later than the end of another lease a waiting session looks. */
const AFTER_LEASE_MS = 5;
/** The part of the lease after which a session asks once more when a connection broke: its channel may be silent since then. */
const AFTER_BREAK = 1 / 12;

export interface SessionOptions {
  readonly base: string;
  readonly lease: number;
  readonly label: string;
  readonly caller: ScriptCaller;
  readonly port: Port;
  readonly timing: Timing;
}

export class Session {
  readonly id = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  /** What it waits for and owns at latches and barriers. */
  readonly rounds: Rounds;
  readonly changes = new Changes(this);
  readonly #options: SessionOptions;
  readonly #entries = new Entries();
  readonly #calls: Calls;
  readonly #deadline: Deadline;
  readonly #channel: Channel;
  readonly #heart: Heart;
  readonly #usedUp: UsedUp;
  #ended: Error | undefined;
  #seq = 0;
  /** Whether the connection broke since the session last compared itself with the server. */
  #audit = false;

  private constructor(options: SessionOptions, former: Session | undefined) {
    this.#options = options;
    this.rounds = new Rounds(former?.rounds);
    const { timing, lease, port, base, caller } = options;
    this.#deadline = new Deadline(timing, lease, () => this.#look());
    this.#channel = new Channel(port, timing, `${base}:c:${this.id}`, (message) => this.#receive(message), () => this.#reconnected());
    this.#heart = new Heart(timing, lease / 3, () => this.#round());
    this.#usedUp = new UsedUp(timing, lease / 3, (key, seqs) => this.call('settle', [key, ...seqs], false), (seq) => this.forgotten(seq));
    this.#calls = new Calls(caller, timing, this.id, {
      check: () => this.checkLease(),
      gone: () => this.#lose('the server does not know the session any more'),
      interrupted: () => this.#reconnected(),
    });
  }

  /** Subscribes, then begins a lease. `former`: the session of this process before. Rejects with `RedisError` or `Interrupted`. */
  static async open(options: SessionOptions, former?: Session): Promise<Session> {
    const session = new Session(options, former);
    try {
      await session.#channel.open();
      await session.#attach(former?.id);
    } catch (failure) {
      session.#channel.close();
      throw failure;
    }
    return session;
  }

  /** Why nothing can be done under this lease any more. */
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

  /** When the lease ends, by the clock on the wall. */
  get wallDeadline(): number {
    return this.#deadline.wall;
  }

  /** How often a grant was found by asking, and how often the channel was made afresh. */
  get counts(): Channel['counts'] {
    return this.#channel.counts;
  }

  nextSeq(): number {
    return ++this.#seq;
  }

  /** Calls an operation until it is answered (calls.ts). Rejects when the session ends. */
  call(operation: string, args: readonly (string | number)[], ref = true, wanted = (): boolean => true): Promise<Answer> {
    return this.#calls.call(operation, args, ref, wanted);
  }

  /** Lists a wait, so that messages and heartbeats find it. */
  list(wait: Wait): void {
    this.#entries.waits.set(wait.seq, wait);
  }

  unlist(wait: Wait): void {
    this.#entries.waits.delete(wait.seq);
  }

  /** A wait was granted: by a reply, a message, or a heartbeat. */
  granted(seq: number, token: string, asked: boolean): void {
    const wait = this.#entries.waits.get(seq);
    if (wait === undefined) return;
    // A pause may have outlived the lease.
    this.#look();
    if (this.#ended !== undefined) return;
    const grant = new Grant(this, wait.line, seq, wait.permits, token, asked);
    this.#entries.held.set(seq, grant);
    wait.grant(grant);
  }

  /** Gives back a grant, or part of it. */
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

  /** Forgets the grant of a signal: its permits are not given back. Until the server has done so, `#compare` must not give them back either. */
  settle(line: Line, seq: number): void {
    this.#entries.held.delete(seq);
    this.#entries.settling.add(seq);
    const settled = (): void => void this.#entries.settling.delete(seq);
    this.call('release', [line.key, seq, 0], false).then(({ reply }) => this.takeGrants(reply, 1), () => undefined).finally(settled);
  }

  /** The permits of a rate's grant are used up, or booked. Until `forget` the server keeps its record, and `#compare` must know it. */
  use(seq: number): void {
    this.#entries.held.delete(seq);
    this.#entries.settling.add(seq);
  }

  /** The server has ended a grant in a call of another kind. */
  drop(seq: number): void {
    this.#entries.held.delete(seq);
  }

  /** Tells the server, before long, that it may forget a grant of a rate. */
  forget(line: Line, seq: number): void {
    this.#usedUp.add(line.key, seq);
  }

  /** The server has forgotten a grant of a rate. */
  forgotten(seq: number): void {
    this.#entries.settling.delete(seq);
  }

  /** Leaves a line in which no caller waits any more. The server gives back what it granted on the way. */
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
  async post(line: Line, permits: number): Promise<void> {
    const { reply } = await this.changes.make('post', line, permits);
    if (reply[0] === 'closed') return;
    if (reply[0] === 'cap') throw line.otherSize(reply[1] ?? '');
    this.takeGrants(reply, 1);
  }

  /** The grants of this session in a reply, from index `from` on. */
  takeGrants(reply: readonly string[], from: number): void {
    for (let i = from; i + 2 < reply.length; i += 3) {
      this.granted(Number(reply[i]), reply[i + 1] ?? '', reply[i + 2] === '1');
    }
  }

  /** Ends the session: the server gives everything that it holds to the next waiters. Waits reject with `reason`. */
  async close(reason: Error): Promise<void> {
    if (this.#ended !== undefined) return;
    const leaving = this.#options.caller.call(['detach', this.id, this.#calls.generation], true);
    this.#end(reason);
    await Promise.race([leaving, pause(this.#options.timing, CLOSE_MS)]).catch(() => undefined);
    this.#channel.close();
  }

  async #attach(former: string | undefined): Promise<void> {
    const { lease, label, caller, timing } = this.#options;
    const sent = this.#deadline.moment;
    this.#calls.generation = await attach(caller, timing, this.id, lease, label, former);
    this.#deadline.extend(sent);
    this.#heart.start();
  }

  /** Messages may have been lost, and the server may be another one. */
  #reconnected(): void {
    this.#audit = true;
    this.#heart.beat();
  }

  #receive(message: string): void {
    const [kind, what = '', token = '', asked] = message.split(' ');
    if (kind === 'g') {
      this.#channel.announced(Number(what));
      this.granted(Number(what), token, asked === '1');
    } else if (kind === 'x') {
      const wait = this.#entries.waits.get(Number(what));
      wait?.fail(wait.line.closed());
    } else if (kind === 'p') {
      this.#entries.waits.get(Number(what))?.poke(Number(token));
    } else if (kind === 'd') {
      // It asks again, and learns that the once is done, or that its booking would be too far ahead.
      this.#entries.waits.get(Number(what))?.enqueue();
    } else if (kind === 'r') {
      this.#entries.asked(message.slice(2));
    } else if (kind === 'e') {
      for (const seq of this.rounds.told(message)) this.#channel.announced(seq);
    }
  }

  /** One heartbeat. Resolves with the ms after which the next one is worth while: a waiter wants to know when another lease ends. */
  async #round(): Promise<number> {
    const next = await this.#askAll();
    const broke = this.#audit;
    if (broke) await this.#compare();
    const ofOthers = this.#entries.waits.size + this.rounds.size > 0 ? next + AFTER_LEASE_MS : Infinity;
    return broke ? Math.min(ofOthers, this.lease * AFTER_BREAK) : ofOthers;
  }

  /** Renews the lease and asks about all entries. Returns how long the next lease of any session runs, in ms. */
  async #askAll(): Promise<number> {
    const entries = [...this.#entries.listed(), ...this.rounds.listed()];
    let wait = Infinity;
    for (let at = 0; at === 0 || at < entries.length; at += CHUNK) {
      const sent = this.#deadline.moment;
      const some = entries.slice(at, at + CHUNK);
      const { reply } = await this.call('beat', [this.#options.lease, ...some.flat()], false);
      this.#deadline.extend(sent);
      this.rounds.forgotten(some);
      wait = Math.min(wait, Number(reply[1]));
      for (let i = 2; i + 1 < reply.length; i += 2) this.#answered(Number(reply[i]), reply[i + 1] ?? '');
    }
    return wait;
  }

  /** Gives back what the server has under this session's name and this process does not know. */
  async #compare(): Promise<void> {
    this.#audit = false;
    // First: a wait that the server has again, because it lost the end of its generation, is abandoned below, which breaks a barrier as a give-up does.
    for (const [key, round] of this.rounds.allSeen) await this.call('recall', [key, round], false);
    const { reply } = await this.call('mine', [], false);
    for (let i = 1; i + 2 < reply.length; i += 3) {
      const seq = Number(reply[i + 1]);
      if (!this.#entries.knows(seq) && !this.rounds.knows(seq)) this.abandon(reply[i] ?? '', seq, Number(reply[i + 2]));
    }
  }

  /** What a heartbeat said about one entry. It may have been granted, released or given up meanwhile. */
  #answered(seq: number, answer: string): void {
    if (this.rounds.knows(seq)) {
      if (this.rounds.take(seq, answer)) this.#channel.found(seq);
      return;
    }
    if (this.#entries.take(seq, answer)) return;
    this.#channel.found(seq);
    this.granted(seq, answer, false);
  }

  /** Ends the session if one of the clocks says so. */
  #look(): void {
    if (this.#ended === undefined && this.#deadline.passed) this.#lose('the lease was not renewed in time');
  }

  #lose(why: string): void {
    if (this.#ended !== undefined) return;
    this.#end(leaseLost('The session', why));
    this.#channel.close();
  }

  #end(reason: Error): void {
    this.#ended = reason;
    this.#deadline.stop();
    this.#heart.stop();
    this.#usedUp.stop();
    this.#entries.end(reason);
    this.rounds.end(reason);
    this.#calls.end(reason);
  }
}
