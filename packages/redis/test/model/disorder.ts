// The faults of a random schedule, and the choice of its next event.

import type { Random } from '@sluice/harness';
import type { Refusal } from './lua-server.ts';
import type { Process, World } from './world.ts';

export type Fault =
  | 'breakCommands'
  | 'breakChannels'
  | 'loseMessage'
  | 'copyMessage'
  | 'kill'
  | 'pause'
  | 'ghost'
  | 'clock'
  | 'copy'
  | 'failover'
  | 'full'
  | 'unsaved';

/** Probabilities in percent of the steps. */
export type Faults = Partial<Record<Fault, number>>;

export class Disorder {
  readonly #world: World;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #lease: number;
  readonly #onKill: (victim: Process) => void;
  #lastJump = 0;
  #refuses: Refusal = '';

  /** `onKill` is called after a process was killed. */
  constructor(world: World, random: Random, faults: Faults, lease: number, onKill: (victim: Process) => void) {
    this.#world = world;
    this.#random = random;
    this.#faults = faults;
    this.#lease = lease;
    this.#onKill = onKill;
  }

  /** Lets one event happen, if any can. */
  step(): void {
    for (const fault of Object.keys(this.#faults) as Fault[]) {
      if (this.#random.below(1000) < (this.#faults[fault] ?? 0) * 10) return this.#happen(fault);
    }
    const events: (() => void)[] = [];
    for (const process of this.#world.living) {
      if (process.calls.length > 0) events.push(() => process.runNext());
      if (process.paused) continue;
      if (process.replies.length > 0) events.push(() => process.replies.shift()?.());
      for (const channel of process.channels)
        if (channel.queue.length > 0) events.push(() => channel.onMessage(channel.queue.shift() ?? ''));
    }
    // Time passes seldom while something else can happen, so that a lease is many steps long. A jump of the clock takes
    // half of a lease, so a heartbeat must not be late then: see the README. A server without memory must renew every
    // lease.
    const mayBeLate = this.#faults.clock === undefined && this.#faults.full === undefined;
    if (events.length === 0 || (mayBeLate && this.#random.chance(4))) this.#world.tick();
    else this.#random.pick(events)();
  }

  /** Ends the faults: paused processes continue, all channels are up, and the server accepts writes. */
  end(): void {
    this.#world.server.refuse('');
    for (const process of this.#world.living) {
      if (process.paused) process.resume();
      for (const channel of process.channels) if (!channel.up) process.breakChannels();
    }
  }

  /** Makes the server begin or stop to refuse writes. */
  #refuse(word: Refusal): void {
    this.#refuses = this.#refuses === '' ? word : '';
    this.#world.server.refuse(this.#refuses);
  }

  #happen(fault: Fault): void {
    const living = this.#world.living;
    const process = this.#random.pick(living);
    const channel = process.channels.find(({ queue }) => queue.length > 0);
    if (fault === 'breakCommands') process.breakCommands(this.#random.chance(50));
    else if (fault === 'breakChannels') process.breakChannels();
    else if (fault === 'loseMessage') channel?.queue.shift();
    else if (fault === 'copyMessage') channel?.queue.push(channel.queue[0] ?? '');
    else if (fault === 'pause' && process.paused) process.resume();
    else if (fault === 'pause') process.paused = true;
    else if (fault === 'kill' && living.length > 1) this.#kill(process);
    else if (fault === 'ghost') this.#ghost();
    else if (fault === 'full') this.#refuse('OOM');
    else if (fault === 'unsaved') this.#refuse('MISCONF');
    else if (fault === 'copy') this.#world.server.copy();
    else if (fault === 'failover') this.#failOver();
    // Two jumps within a lease would use up the margin: see the README.
    else if (fault === 'clock' && this.#world.now - this.#lastJump > this.#lease) this.#jump();
  }

  #kill(process: Process): void {
    process.kill(this.#random.chance(50));
    this.#onKill(process);
  }

  #jump(): void {
    this.#lastJump = this.#world.now;
    this.#world.ahead += this.#random.pick([-7_200_000, 3_600_000, 7_200_000]);
    // A start below zero would be another test.
    if (this.#world.now + this.#world.ahead < 0) this.#world.ahead = 0;
  }

  /** Lets a replica take over that missed the calls since the last copy. */
  #failOver(): void {
    if (!this.#world.server.promote()) return;
    for (const process of this.#world.living) {
      process.breakCommands(false);
      process.breakChannels();
      if (process.channels.some(({ up }) => !up)) process.breakChannels();
    }
  }

  #ghost(): void {
    const ghost = this.#world.ghosts.splice(this.#random.below(Math.max(1, this.#world.ghosts.length)), 1)[0];
    if (ghost !== undefined) this.#world.run(ghost.base, ghost.args);
  }
}
