// Dining philosophers: each is a worker, each fork a mutex. Who holds which fork is read from the arena's report.

import { Mutex, type ArenaReport } from 'sluice';
import { counter, DOING, INSIDE, MAX_WORKERS, OUTSIDE, PASSES, PHASE } from '../shared/control.ts';
import { LiveView } from 'sluice/drawing';
import { Bars } from './bars.ts';
import { WorkerGroup } from './worker-group.ts';
import { colourOf, count, h } from './dom.ts';
import type { Program, Values } from './scene.ts';
import { tableSvg } from './table.ts';

/** Length of a meal in microseconds, by the position of the slider. */
export const MEALS = [4000, 20_000, 100_000, 400_000, 800_000, 1_500_000] as const;
export const mealText = (value: number): string => `${(MEALS[value] ?? 0) / 1000} ms`;

export class PhilosophersProgram implements Program {
  readonly #group = new WorkerGroup();
  readonly #forks = Array.from({ length: MAX_WORKERS }, (_, n) =>
    Mutex.create({ arena: this.#group.arena, name: `fork ${n + 1}`, order: 'fifo' }),
  );
  readonly #table = h('div', { class: 'table' });
  readonly #rows = h('div', { class: 'arena forks' });
  readonly #bars = new Bars();
  readonly stage = h(
    'div',
    { class: 'stage dinner' },
    this.#table,
    h(
      'div',
      { class: 'side' },
      h('h3', {}, 'Meals'),
      this.#bars.element,
      h('h3', {}, 'Forks, as the arena reports them'),
      this.#rows,
    ),
  );
  #seats: number;

  constructor(seats: number) {
    this.#seats = seats;
  }

  get total(): number {
    return this.#of(PASSES).reduce((a, b) => a + b, 0);
  }

  async start(values: Values, isNew: boolean): Promise<void> {
    if (isNew) {
      this.#group.clear();
      this.#seats = values['workers'] ?? this.#seats;
    }
    this.#group.set(PHASE, 0);
    this.change(values);
    const forks = this.#forks.slice(0, this.#seats).map(({ handle }) => handle);
    await Promise.all(forks.map((_, seat) => this.#group.run(seat, 'dine', { forks })));
  }

  stop(): Promise<void> {
    return this.#group.stop();
  }

  change({ meal = 0 }: Values): void {
    this.#group.set(INSIDE, MEALS[meal] ?? 0);
    this.#group.set(OUTSIDE, MEALS[meal] ?? 0);
  }

  draw(): void {
    const report = this.#group.report();
    const seats = this.#of(DOING).map((doing) => doing);
    this.#table.innerHTML = tableSvg(seats, this.#owners(report), colourOf);
    this.#bars.show(this.#of(PASSES), count);
    const names = this.#forks.slice(0, this.#seats).map(({ name }) => name);
    new LiveView(this.#rows, { ...this.#group.view, names, columns: 2 }).show(report);
  }

  /** By fork: the seat of its owner. */
  #owners({ agents }: ArenaReport): (number | undefined)[] {
    return this.#forks.slice(0, this.#seats).map(({ name }) => {
      const owner = agents.find(({ holds }) => holds.some((use) => use.name === name));
      return owner === undefined ? undefined : this.#group.indexOf(owner.agent);
    });
  }

  #of(what: number): number[] {
    return Array.from({ length: this.#seats }, (_, seat) => this.#group.get(counter(0, seat, what)));
  }
}
