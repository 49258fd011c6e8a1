// Processes with real sessions and fronts over a server. A random schedule controls the connections and clocks step by
// step.

import type { Listener } from '../../../remote/src/engine/engine.ts';
import type { Port } from '../../src/server/clients/port.ts';
import type { RedisEngine } from '../../src/server/engine.ts';
import type { Space } from '../../../remote/src/space.ts';
import type { Timer, Timing } from '../../../remote/src/engine/timing.ts';
import type { LuaServer } from './lua-server.ts';

/** The source under test, with or without a mutant. */
export interface Client {
  readonly Space: typeof Space;
  readonly RedisEngine: typeof RedisEngine;
}

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
  readonly owner: Process;
}

interface Call {
  readonly args: readonly string[];
  readonly resolve: (reply: string[]) => void;
  readonly reject: (reason: Error) => void;
}

interface Channel {
  readonly name: string;
  readonly onMessage: (message: string) => void;
  readonly onReady: () => void;
  readonly queue: string[];
  up: boolean;
}

/** Runs everything that waited for the last event. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const START_MS = 1_000_000;
/** More timers than this at one moment count as a loop. */
const MAX_RINGS_AT_ONCE = 10_000;

export class World {
  now = START_MS;
  /** The difference by which the server's clock is ahead, in ms. */
  ahead = 0;
  /** The time by which timers of more than 1 ms ring too early, in ms. */
  early = 0;
  readonly server: LuaServer;
  readonly processes: Process[] = [];
  readonly alarms = new Set<Alarm>();
  /** The calls that a broken connection may still deliver. */
  readonly ghosts: { readonly base: string; readonly args: readonly string[] }[] = [];
  #ringsAtOnce = 0;

  constructor(server: LuaServer) {
    this.server = server;
  }

  /** Runs one call at the server. Puts its messages into the channels that are up. */
  run(base: string, args: readonly string[]): string[] {
    // No two calls run in the same microsecond.
    this.now += 0.01;
    const { reply, messages } = this.server.call(this.now + this.ahead, base, args);
    for (const [channel, message] of messages) {
      for (const { channels } of this.processes) {
        for (const each of channels) if (each.name === channel && each.up) each.queue.push(message);
      }
    }
    return reply;
  }

  get living(): Process[] {
    return this.processes.filter(({ alive }) => alive);
  }

  /**
   * Delivers all calls, replies and messages that are on their way, while no time passes. Returns whether there were
   * any.
   */
  async deliver(): Promise<boolean> {
    await settle();
    let moved = false;
    for (const process of this.living) {
      while (process.calls.length > 0) {
        process.runNext();
        moved = true;
      }
      for (let reply = process.replies.shift(); reply !== undefined; reply = process.replies.shift()) {
        reply();
        await settle();
        moved = true;
      }
      for (const channel of [...process.channels]) {
        for (let message = channel.queue.shift(); message !== undefined; message = channel.queue.shift()) {
          channel.onMessage(message);
          await settle();
          moved = true;
        }
      }
    }
    return moved;
  }

  /** Moves the clock to the next alarm. */
  tick(): boolean {
    let next: Alarm | undefined;
    for (const alarm of this.alarms) if (next === undefined || alarm.at < next.at) next = alarm;
    if (next === undefined) return false;
    this.alarms.delete(next);
    this.#ringsAtOnce = next.at > this.now ? 0 : this.#ringsAtOnce + 1;
    if (this.#ringsAtOnce > MAX_RINGS_AT_ONCE) throw new Error('timers ring repeatedly, and no time passes');
    this.now = Math.max(this.now, next.at);
    if (next.owner.alive && !next.owner.paused) next.ring();
    else if (next.owner.alive) next.owner.late.push(next.ring);
    return true;
  }
}

export class Process implements Port, Timing {
  readonly space: Space;
  readonly channels: Channel[] = [];
  /** The calls that the server has not run, and the replies that have not arrived, in order. */
  readonly calls: Call[] = [];
  readonly replies: (() => void)[] = [];
  readonly late: (() => void)[] = [];
  alive = true;
  paused = false;
  readonly #world: World;
  #inFlight = new Set<Call>();

  constructor(world: World, client: Client, namespace: string, lease: number, label: string) {
    this.#world = world;
    world.processes.push(this);
    this.space = new client.Space({
      namespace,
      lease,
      label,
      engine: new client.RedisEngine(this, namespace),
      timing: this,
    });
  }

  /** EVALSHA, hash, number of keys, keys, arguments. */
  send(_base: string, command: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call: Call = { args: command.slice(3 + Number(command[2])), resolve, reject };
      this.#inFlight.add(call);
      this.calls.push(call);
    });
  }

  info(): Promise<string> {
    return Promise.resolve('');
  }

  listen(name: string, onMessage: (message: string) => void, onReady: () => void): Promise<Listener> {
    const channel: Channel = { name, onMessage, onReady, queue: [], up: true };
    this.channels.push(channel);
    return Promise.resolve({ close: () => void this.channels.splice(this.channels.indexOf(channel), 1) });
  }

  close(): void {
    // The world drops the remaining calls.
  }

  now(): number {
    return this.#world.now;
  }

  wall(): number {
    return this.#world.now;
  }

  after(ms: number, ring: () => void): Timer | undefined {
    if (ms === Infinity) return undefined;
    const alarm: Alarm = { at: this.#world.now + Math.max(0, ms > 1 ? ms - this.#world.early : ms), ring, owner: this };
    this.#world.alarms.add(alarm);
    return { stop: () => void this.#world.alarms.delete(alarm) };
  }

  /** Lets the server run the next call. */
  runNext(): void {
    const call = this.calls.shift();
    if (call === undefined) return;
    const reply = this.#world.run(`sl:{${this.space.namespace}}`, call.args);
    this.replies.push(() => {
      this.#inFlight.delete(call);
      if (reply[0] === 'REFUSED') call.reject(new Error(reply[1]));
      else call.resolve(reply);
    });
  }

  /**
   * Breaks the command connection. Calls without a reply fail. Calls that the server has not run may still reach it, or
   * not.
   */
  breakCommands(arrive: boolean): void {
    if (arrive)
      for (const { args } of this.calls) this.#world.ghosts.push({ base: `sl:{${this.space.namespace}}`, args });
    this.calls.length = 0;
    this.replies.length = 0;
    const failed = [...this.#inFlight];
    this.#inFlight = new Set();
    for (const call of failed) call.reject(new Error('socket closed'));
  }

  /** Breaks the subscription and restores it. Messages in between are lost. */
  breakChannels(): void {
    for (const channel of this.channels) {
      channel.queue.length = 0;
      channel.up = !channel.up;
      if (channel.up) channel.onReady();
    }
  }

  kill(arrive: boolean): void {
    this.alive = false;
    if (arrive)
      for (const { args } of this.calls) this.#world.ghosts.push({ base: `sl:{${this.space.namespace}}`, args });
    this.calls.length = 0;
    this.replies.length = 0;
    this.channels.length = 0;
  }

  resume(): void {
    this.paused = false;
    for (const ring of this.late.splice(0)) ring();
  }
}
