// Two processes over a server, for schedules that state when something must have happened.

import type { RemoteGuard } from '../../../remote/src/primitives/guard.ts';
import type { RemoteLock } from '../../../remote/src/primitives/lock.ts';
import type { RemoteRateLimiter } from '../../../remote/src/primitives/rate-limiter.ts';
import { LuaServer } from './lua-server.ts';
import { Process, settle, World, type Client } from './world.ts';

export const LEASE = 1000;

export interface Directed {
  readonly name: string;
  /** The fault, or '' if there is none. */
  readonly run: (script: string, client: Client) => Promise<string>;
}

export interface Wait {
  guard: RemoteGuard | undefined;
}

export class TwoProcesses {
  readonly world: World;
  readonly first: Process;
  readonly second: Process;

  constructor(world: World, client: Client) {
    this.world = world;
    this.first = new Process(world, client, 'model', LEASE, 'first');
    this.second = new Process(world, client, 'model', LEASE, 'second');
  }

  static async make<G extends TwoProcesses>(
    this: new (
      world: World,
      client: Client,
    ) => G,
    script: string,
    client: Client,
    early = 0,
  ): Promise<G> {
    const world = new World(await LuaServer.start(script));
    world.early = early;
    const scene = new this(world, client);
    const state = { open: false };
    void Promise.all([scene.first.space.session(), scene.second.space.session()]).then(() => (state.open = true));
    while (!state.open) await scene.world.deliver();
    return scene;
  }

  /** Begins a wait and lets it arrive at the server. */
  async wait(process: Process): Promise<Wait> {
    const wait: Wait = { guard: undefined };
    void lockOf(process)
      .holdAsync()
      .then((guard) => (wait.guard = guard));
    await this.arrive();
    return wait;
  }

  async hold(process: Process): Promise<RemoteGuard> {
    const { guard } = await this.wait(process);
    if (guard === undefined) throw new Error('The wait was not granted');
    return guard;
  }

  /** Acquires available permits. */
  async take(limiter: RemoteRateLimiter, n: number): Promise<void> {
    const state = { taken: false };
    void limiter.tryAcquire(n).then((taken) => (state.taken = taken));
    await this.arrive();
    if (!state.taken) throw new Error('The permits were not available');
  }

  async release(guard: RemoteGuard): Promise<void> {
    void guard.release();
    await this.arrive();
  }

  /** Lets everything arrive that is on its way, while no time passes. */
  async arrive(): Promise<void> {
    do await settle();
    while (await this.world.deliver());
  }

  /** Lets time pass until then, while everything arrives. */
  async pass(ms: number, isOver = (): boolean => false): Promise<void> {
    const end = this.world.now + ms;
    while (this.world.now < end && !isOver() && this.world.tick()) await this.arrive();
  }
}

export function lockOf(process: Process): RemoteLock {
  return process.space.mutex('m');
}

/** The outcome of a call. */
export function watch<T>(call: Promise<T>): { value?: T; failure?: unknown } {
  const state: { value?: T; failure?: unknown } = {};
  call.then(
    (value) => (state.value = value),
    (failure: unknown) => (state.failure = failure),
  );
  return state;
}
