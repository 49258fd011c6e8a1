// A bounded buffer between producers and consumers of adjustable speeds.

import { BoundedBuffer } from 'sluice';
import { counter, INSIDE, OUTSIDE, PASSES, PHASE } from '../shared/control.ts';
import { LiveView } from 'sluice/drawing';
import { WorkerGroup } from './worker-group.ts';
import { fact } from './contest.ts';
import { count, h, say } from './dom.ts';
import type { Program, Values } from './scene.ts';

const CAPACITY = 24;
const MAX_PRODUCERS = 4;

/** Values per second of each thread, by the position of the slider. */
export const RATES = [0.5, 1, 3, 10, 50, 500] as const;
export const rateText = (value: number): string => `${RATES[value] ?? 0} / s`;
const microseconds = (value: number): number => Math.round(1_000_000 / (RATES[value] ?? 1));

export class BufferProgram implements Program {
  readonly #group = new WorkerGroup();
  #buffer = this.#create();
  #producers = 3;
  #consumers = 2;
  readonly #slots = Array.from({ length: CAPACITY }, () => h('span', { class: 'slot' }));
  readonly #ring = h('div', { class: 'slots', role: 'img' }, ...this.#slots);
  readonly #fill = h('dd', {}, '0');
  readonly #pushed = h('dd', {}, '0');
  readonly #taken = h('dd', {}, '0');
  readonly #waitingProducers = h('dd', {}, '0');
  readonly #waitingConsumers = h('dd', {}, '0');
  readonly #arena = h('div', { class: 'arena' });
  readonly #view = new LiveView(this.#arena, { ...this.#group.view, names: ['jobs'] });
  readonly #who = h('p', { class: 'about' });
  readonly stage = h(
    'div',
    { class: 'stage panel buffer' },
    this.#who,
    this.#ring,
    h(
      'dl',
      { class: 'facts' },
      fact('pushed', this.#pushed),
      fact('in the buffer', this.#fill),
      fact('taken', this.#taken),
      fact('producers waiting', this.#waitingProducers),
      fact('consumers waiting', this.#waitingConsumers),
    ),
    this.#arena,
  );

  get total(): number {
    return this.#sum(MAX_PRODUCERS, this.#consumers);
  }

  async start(values: Values, isNew: boolean): Promise<void> {
    if (isNew) {
      this.#group.clear();
      this.#producers = values['producers'] ?? this.#producers;
      this.#consumers = values['consumers'] ?? this.#consumers;
    }
    this.#group.set(PHASE, 0);
    this.change(values);
    const data = { buffer: this.#buffer.handle };
    const producers = Array.from({ length: this.#producers }, (_, n) => this.#group.run(n, 'produce', data));
    const consumers = Array.from({ length: this.#consumers }, (_, n) =>
      this.#group.run(MAX_PRODUCERS + n, 'consume', data),
    );
    await Promise.all([...producers, ...consumers]);
  }

  /** Closing wakes every blocked worker. A run that goes on, or a new one, has a new buffer. */
  async stop(): Promise<void> {
    this.#buffer.close();
    await this.#group.stop();
    this.#buffer.free();
    this.#buffer = this.#create();
  }

  change({ push = 0, pop = 0 }: Values): void {
    this.#group.set(OUTSIDE, microseconds(push));
    this.#group.set(INSIDE, microseconds(pop));
  }

  draw(): void {
    const { length, producers, consumers } = this.#buffer.inspect();
    this.#slots.forEach((slot, n) => slot.classList.toggle('full', n < length));
    this.#ring.setAttribute('aria-label', `${length} of ${CAPACITY} places are taken`);
    this.#ring.classList.toggle('blocked', length === CAPACITY);
    say(this.#fill, `${length} of ${CAPACITY}`);
    say(this.#pushed, count(this.#sum(0, this.#producers)));
    say(this.#taken, count(this.total));
    say(this.#waitingProducers, String(producers.length));
    say(this.#waitingConsumers, String(consumers.length));
    const list = (from: number, many: number): string =>
      Array.from({ length: many }, (_, n) => `W${from + n + 1}`).join(', ');
    say(this.#who, `Producers: ${list(0, this.#producers)}. Consumers: ${list(MAX_PRODUCERS, this.#consumers)}.`);
    this.#view.show(this.#group.report());
  }

  #sum(from: number, many: number): number {
    return Array.from({ length: many }, (_, n) => this.#group.get(counter(0, from + n, PASSES))).reduce(
      (a, b) => a + b,
      0,
    );
  }

  #create(): BoundedBuffer<number> {
    return BoundedBuffer.create({ codec: 'int32', capacity: CAPACITY, arena: this.#group.arena, name: 'jobs' });
  }
}
