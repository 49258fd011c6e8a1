// Processes that share a namespace, over a folder in memory. A schedule decides which process makes its next call of
// the file system, which messages arrive, who dies, and who gives up a server that only seems dead. A process that the
// schedule leaves alone is one that is stopped.
//
// The server and the claim are the sources. The client is a short form of a session: it sends a step again after an
// interruption, with the next generation, and asks with heartbeats whether it was granted.

import type * as Entry from './entry.ts';
import type { Token } from '../../src/folder/claim.ts';
import type { MemberCall, SpaceMember, Server } from '../../src/server/server.ts';
import { MemoryFiles } from './memory-files.ts';

export type Protocol = typeof Entry;

/** A call on its way, and its answer. */
interface Sent {
  readonly words: string[];
  reply: readonly string[] | undefined;
  /** Whether the connection has ended. */
  lost: boolean;
}

type Task = Generator<void, void>;

const LEASE = 1_000_000_000;
/** How often each living process takes the lock. */
const TURNS = 3;

export class World {
  readonly files: MemoryFiles;
  readonly protocol: Protocol;
  readonly processes: Process[] = [];
  /** The lock's holders, as they believe it themselves. */
  readonly holders = new Set<Process>();
  /** The waiters, with the times at which a server first told them that they wait. */
  readonly line = new Map<Process, number>();
  lastToken = 0;
  us = 1_000_000_000;
  wrong = '';

  constructor(protocol: Protocol, processes: number) {
    this.protocol = protocol;
    this.files = new MemoryFiles(protocol.tokenName(protocol.FIRST_TOKEN));
    for (let i = 0; i < processes; i++) this.processes.push(new Process(this, `p${i}`));
  }

  fail(wrong: string): void {
    this.wrong ||= wrong;
  }

  named(owner: string): Process | undefined {
    return this.processes.find((each) => each.owner === owner);
  }

  /** The server answers that the process waits. */
  waits(process: Process): void {
    if (!this.line.has(process)) this.line.set(process, this.us);
  }

  granted(process: Process, token: number): void {
    if (this.holders.size > 0)
      this.fail(`${process.owner} holds beside ${[...this.holders].map((p) => p.owner).join()}`);
    if (token <= this.lastToken) this.fail(`token ${token} after ${this.lastToken}`);
    this.lastToken = Math.max(this.lastToken, token);
    this.holders.add(process);
    this.line.delete(process);
    // A process that was told that it waits is served before those that call after that.
    for (const [other, told] of this.line)
      if (other.alive && told < process.called) this.fail(`${process.owner} passed ${other.owner}`);
  }
}

export class Process {
  readonly owner: string;
  readonly #world: World;
  alive = true;
  /** How often it has had the lock. */
  turns = 0;
  /** When it called for the lock. */
  called = 0;
  server: Server | undefined;
  /** The calls that have arrived at its socket. */
  readonly inbox: { readonly from: Process; readonly sent: Sent }[] = [];
  /** The server that it calls. */
  calls: Process | undefined;
  #members = new Map<Process, SpaceMember>();
  /** What its thread does at present. */
  #task: Task | undefined;
  #sent: Sent | undefined;
  /** Members without a connection, by name, that its server watches. */
  readonly #watched = new Map<string, () => void>();
  #client: Task;
  #generation = 0;
  #seq = 0;

  constructor(world: World, owner: string) {
    this.#world = world;
    this.owner = owner;
    this.#client = this.#program();
  }

  /** Whether the program has ended. */
  get isDone(): boolean {
    return this.turns >= TURNS;
  }

  /** Runs its thread up to its next call of the file system, or takes the next event. Returns whether it did anything. */
  step(): boolean {
    if (this.#task !== undefined) {
      this.#world.us++;
      if (this.#task.next().done === true) this.#task = undefined;
      return true;
    }
    const task = this.#nextServerTask();
    if (task !== undefined) {
      this.#task = task;
      return true;
    }
    return this.#stepClient();
  }

  /** Gives up the server that it calls, which may live. */
  suspect(): void {
    if (this.calls === undefined || this.#task !== undefined || this.calls === this) return;
    this.interrupt();
    this.#task = this.#claimFrom();
  }

  kill(): void {
    this.alive = false;
    this.interrupt();
    this.#world.holders.delete(this);
    this.#task = undefined;
    this.inbox.length = 0;
    for (const each of this.#world.processes) if (each.calls === this) each.interrupt();
  }

  /** Its connection to the server has ended. */
  interrupt(): void {
    if (this.#sent !== undefined) this.#sent.lost = true;
    const { calls } = this;
    this.calls = undefined;
    calls?.hangUp(this);
  }

  /** The connection of a caller has ended. */
  hangUp(caller: Process): void {
    const member = this.#members.get(caller);
    this.#members.delete(caller);
    if (member !== undefined && this.alive) this.server?.leave(member);
  }

  #nextServerTask(): Task | undefined {
    const { server } = this;
    if (server === undefined || server.ended) {
      // Calls to a process that does not serve: the connection is refused.
      for (const { sent, from } of this.inbox.splice(0)) {
        sent.lost = true;
        if (from.calls === this) from.interrupt();
      }
      return undefined;
    }
    // The socket of a dead member refuses connections.
    for (const [owner, onDead] of this.#watched) {
      if (this.#world.named(owner)?.alive === true) continue;
      this.#watched.delete(owner);
      onDead();
      return undefined;
    }
    const calls = this.inbox.splice(0).flatMap(({ from, sent }): MemberCall[] => {
      const member = this.#members.get(from);
      if (member === undefined || sent.lost) return [];
      return [
        {
          member: {
            owner: member.owner,
            answer: (_n, words) => this.#answer(from, sent, words),
            tell: () => undefined,
          },
          number: 0,
          words: sent.words,
        },
      ];
    });
    return calls.length > 0 ? server.handle(calls) : undefined;
  }

  /** The answer is on its way. It arrives, unless the connection has ended. */
  #answer(to: Process, sent: Sent, words: readonly string[] | undefined): void {
    if (words === undefined) this.#world.fail('a call was refused');
    if (sent.words[0] === 'acquire' && words?.[0] === 'waiting') this.#world.waits(to);
    if (to.calls === this) sent.reply = words;
    else sent.lost = true;
  }

  *#claimFrom(): Task {
    const { protocol, files } = this.#world;
    const from = yield* protocol.findToken(files);
    if (from === undefined) return;
    yield* this.#serve(from);
  }

  *#serve(from: Token): Task {
    const { protocol, files } = this.#world;
    const token = yield* protocol.claim(files, from, this.owner);
    if (token === undefined) return;
    const server = yield* protocol.Server.begin({
      files,
      token,
      micros: () => this.#world.us,
      watch: (owner, onDead) => {
        this.#watched.set(owner, onDead);
        return () => {
          if (this.#watched.get(owner) === onDead) this.#watched.delete(owner);
        };
      },
      onEnd: () => this.#disconnectCallers(),
    });
    this.#disconnectCallers();
    this.server = server;
    this.#members = new Map();
    yield* this.#join(this);
  }

  #disconnectCallers(): void {
    for (const each of this.#world.processes) if (each.calls === this) each.interrupt();
  }

  /** A process connects to this one. */
  *#join(caller: Process): Task {
    const { server } = this;
    if (server === undefined || server.ended) return;
    const member: SpaceMember = { owner: caller.owner, answer: () => undefined, tell: () => undefined };
    if (!(yield* server.join(member)) || !this.alive || this.server !== server) return;
    this.#members.set(caller, member);
    caller.calls = this;
  }

  /** Finds a server: calls the owner of the token if it serves, and else claims the token. */
  *#find(): Task {
    const { protocol, files } = this.#world;
    const token = yield* protocol.findToken(files);
    if (token === undefined) return;
    const there = this.#world.named(token.member);
    if (there?.alive === true && there.server?.ended === false && there !== this) {
      // Its thread answers the greeting between two tasks of its own.
      if (there.#task === undefined) yield* there.#join(this);
      return;
    }
    // A living process may be about to serve: it listens already, and the caller waits.
    if (there?.alive === true && there !== this && there.#task !== undefined) return;
    yield* this.#serve(token);
  }

  #stepClient(): boolean {
    if (this.isDone) return false;
    if (this.calls === undefined) {
      this.#task = this.#find();
      return true;
    }
    if (this.#sent !== undefined && this.#sent.reply === undefined && !this.#sent.lost) return false;
    this.#client.next();
    return true;
  }

  /** Sends a step until it is answered. */
  *#call(...words: (string | number)[]): Generator<void, readonly string[]> {
    this.#generation++;
    for (;;) {
      const [operation = '', ...rest] = words.map(String);
      const sent: Sent = {
        words: [operation, `session${this.owner}`, String(this.#generation), ...rest],
        reply: undefined,
        lost: false,
      };
      this.#sent = sent;
      this.calls?.inbox.push({ from: this, sent });
      yield;
      if (sent.reply !== undefined && sent.reply[0] !== 'stale') return sent.reply;
      this.#generation++;
    }
  }

  *#program(): Task {
    yield* this.#call('attach', LEASE, this.owner, '1');
    while (!this.isDone) {
      const seq = ++this.#seq;
      this.called = ++this.#world.us;
      let [answer, token = ''] = yield* this.#call('acquire', 'm:m', seq, 1, 1, 1, '0 0 0 0');
      while (answer === 'waiting') {
        const reply = yield* this.#call('beat', LEASE, 'm:m', seq, 1, 0);
        if (reply[0] !== 'alive') this.#world.fail(`a heartbeat is answered with ${reply[0]}`);
        if (reply.length > 2) {
          token = reply[3] ?? '';
          answer = 'granted';
        }
        if (token === 'lost') this.#world.fail(`${this.owner} has lost its place`);
      }
      if (answer !== 'granted') this.#world.fail(`an acquire is answered with ${answer}`);
      this.#world.granted(this, Number(token));
      yield;
      this.#world.holders.delete(this);
      const [released] = yield* this.#call('release', 'm:m', seq, 0);
      if (released !== 'released' && released !== 'absent') this.#world.fail(`a release is answered with ${released}`);
      this.turns++;
    }
  }
}
