// Two processes for a directed schedule: what is on its way arrives when the schedule says so.

import { LuaServer } from './lua-server.ts';
import { Process, settle, World, type Client } from './world.ts';

export const LEASE = 1000;

export interface Directed {
  readonly name: string;
  /** What went wrong, or ''. */
  readonly run: (script: string, client: Client) => Promise<string>;
}

export class Ground {
  readonly world: World;
  readonly first: Process;
  readonly second: Process;

  constructor(world: World, client: Client) {
    this.world = world;
    this.first = new Process(world, client, 'model', LEASE, 'first');
    this.second = new Process(world, client, 'model', LEASE, 'second');
  }

  static async make<G extends Ground>(this: new (world: World, client: Client) => G, script: string, client: Client, early = 0): Promise<G> {
    const world = new World(await LuaServer.start(script));
    world.early = early;
    const ground = new this(world, client);
    const state = { open: false };
    void Promise.all([ground.first.space.session(), ground.second.space.session()]).then(() => (state.open = true));
    while (!state.open) await ground.world.deliver();
    return ground;
  }

  /** Everything that is on its way arrives, and no time passes. */
  async arrive(): Promise<void> {
    do await settle();
    while (await this.world.deliver());
  }

  /** Time passes until then, and everything arrives. */
  async pass(ms: number, isOver = (): boolean => false): Promise<void> {
    const end = this.world.now + ms;
    while (this.world.now < end && !isOver() && this.world.tick()) await this.arrive();
  }
}
