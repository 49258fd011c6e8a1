// Several capacitors side by side. Each arrival takes one at random, so the lanes share no word. There is no bound. In
// the long run all agents enter equally often.

import type { Arena, WaitOptions } from '@sluice/core';
import { HandleError, MisuseError } from '@sluice/core';
import { show } from '@sluice/core/calls';
import { Capacitor, type CapacitorHandle } from './capacitor.ts';
import type { Gate } from './gate.ts';
import type { CapacitorOptions } from './options.ts';
import type { RandomLanesReport } from './report.ts';
import type { Routes } from './routes.ts';

export interface RandomLanesHandle {
  readonly kind: 'sluice.random-lanes';
  readonly lanes: readonly CapacitorHandle[];
}

export class RandomLanes implements Gate {
  readonly handle: RandomLanesHandle;
  readonly routes: Routes;
  readonly #lanes: readonly Capacitor[];
  readonly #first: Capacitor;

  private constructor(lanes: readonly Capacitor[], first: Capacitor) {
    this.#lanes = lanes;
    this.#first = first;
    this.routes = first.routes;
    this.handle = Object.freeze({
      kind: 'sluice.random-lanes',
      lanes: Object.freeze(lanes.map(({ handle }) => handle)),
    });
  }

  /** Creates `lanes` capacitors that share B permits between them. */
  static create(lanes: number, { bypassLimit = 10, ...options }: CapacitorOptions): RandomLanes {
    const share = (lane: number): number => Math.floor(bypassLimit / lanes) + (lane < bypassLimit % lanes ? 1 : 0);
    const first = Capacitor.create({ ...options, bypassLimit: share(0) });
    const made = [first];
    try {
      for (let lane = 1; lane < lanes; lane++) made.push(Capacitor.create({ ...options, bypassLimit: share(lane) }));
    } catch (failure) {
      for (const lane of made) lane.free();
      throw failure;
    }
    return new RandomLanes(made, first);
  }

  static from(handle: RandomLanesHandle, options: Pick<CapacitorOptions, 'policy'> = {}): RandomLanes {
    const handles: unknown = handle.lanes;
    const lanes = Array.isArray(handles) ? handles.map((lane: CapacitorHandle) => Capacitor.from(lane, options)) : [];
    const [first] = lanes;
    if (first === undefined) throw new HandleError(`Not a handle of lanes: received ${show(handle)}`);
    if (lanes.some((lane) => lane.arena !== first.arena))
      throw new HandleError('Not a handle of lanes: they lie in different arenas.');
    return new RandomLanes(lanes, first);
  }

  toString(): string {
    return String(this.#first);
  }

  get arena(): Arena {
    return this.#first.arena;
  }

  get name(): string {
    return this.#first.name;
  }

  get bypassLimit(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.bypassLimit, 0);
  }

  get empty(): boolean {
    return this.#lanes.every((lane) => lane.empty);
  }

  arrive(): void {
    this.#any().arrive();
  }

  tryArrive(timeoutMs = 0): boolean {
    return this.#any().tryArrive(timeoutMs);
  }

  arriveAsync(options?: WaitOptions): Promise<void> {
    return this.#any().arriveAsync(options);
  }

  /**
   * Departs from any lane that this agent is in. An agent in several lanes holds the lock several times, so the choice
   * of the lane does not matter.
   */
  depart(): void {
    if (this.#lanes.some((lane) => lane.departIfInside())) return;
    throw new MisuseError(
      `${this.toString()} cannot be left: this agent is in none of its lanes; it has departed as often as it arrived.`,
    );
  }

  inspect(): RandomLanesReport {
    const { name, bypassLimit } = this;
    return { kind: 'random-lanes', name, bypassLimit, lanes: this.#lanes.map((lane) => lane.inspect()) };
  }

  free(): void {
    if (!this.empty) throw new MisuseError(`${this.toString()} is in use and cannot be freed.`);
    for (const lane of this.#lanes) lane.free();
  }

  #any(): Capacitor {
    return this.#lanes[Math.floor(Math.random() * this.#lanes.length)] ?? this.#first;
  }
}
