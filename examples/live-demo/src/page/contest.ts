// Scenes that compare locks: the same workers pass through one lock after the other, each for a while, so that the
// locks do not compete for cores. Shown for each lock: passes of each worker, passes per second, the longest wait, and
// the arena's report.

import { CapacitorLock, Mutex, Semaphore, TtsLock } from 'sluice';
import { counter, INSIDE, LOCK_WORDS, LONGEST, OUTSIDE, PASSES, PHASE } from '../shared/control.ts';
import type { LockSpec } from '../shared/messages.ts';
import { duration, LiveView } from 'sluice/drawing';
import { Bars } from './bars.ts';
import { WorkerGroup } from './worker-group.ts';
import { h, rate, say } from './dom.ts';
import type { Program, Values } from './scene.ts';

export interface Contestant {
  readonly title: string;
  /** One line. */
  readonly about: string;
  readonly lock: 'semaphore' | 'spin' | 'turns' | 'fifo' | 'futex' | 'tts' | 'capacitor';
}

/** Of the lock at that position. */
const nameOf = (index: number): string => `door ${index + 1}`;

/** Each lock has this long at a time. */
const TURN_MS = 700;

/** Time inside the critical section, in microseconds, by the position of the slider. */
export const PACES = [0, 50, 500, 2000, 10_000, 50_000, 200_000] as const;
export const paceText = (value: number): string => {
  const us = PACES[value] ?? 0;
  if (us === 0) return 'none';
  return us < 1000 ? `${us} µs` : `${us / 1000} ms`;
};

class Panel {
  readonly #bars = new Bars();
  readonly #rate = h('dd', {}, '–');
  readonly #share = h('dd', {}, '–');
  readonly #longest = h('dd', {}, '–');
  readonly #arena = h('div', { class: 'arena' });
  readonly element: HTMLElement;
  readonly #view: LiveView | undefined;
  readonly #group: WorkerGroup;
  readonly #index: number;
  /** While its lock was used: time in ms. */
  #ms = 0;
  /**
   * The passes of each worker before the latest turn, and before the turn before that. The bars show both turns: a turn
   * begins with few passes.
   */
  #before: number[] = [];
  #earlier: number[] = [];
  /** The smallest share of a worker in a turn that is over. */
  #least = 1;

  constructor(group: WorkerGroup, index: number, { title, about, lock }: Contestant) {
    this.#group = group;
    this.#index = index;
    const names = lock === 'capacitor' ? ['capacitor', 'inner lock'] : [nameOf(index)];
    const isSluice = lock !== 'spin' && lock !== 'futex';
    this.#view = isSluice ? new LiveView(this.#arena, { ...group.view, names }) : undefined;
    if (!isSluice)
      this.#arena.append(h('p', { class: 'none' }, 'One word of memory: no report, and no line of waiters.'));
    const facts = h(
      'dl',
      { class: 'facts' },
      fact('passes / s', this.#rate),
      fact('smallest share', this.#share),
      fact('longest wait', this.#longest),
    );
    this.element = h(
      'article',
      { class: 'panel' },
      h('h3', {}, title),
      h('p', { class: 'about' }, about),
      this.#bars.element,
      facts,
      this.#arena,
    );
  }

  /** Begins a new run. */
  clear(): void {
    this.#ms = 0;
    this.#before = [];
    this.#earlier = [];
    this.#least = 1;
  }

  beginTurn(workers: number): void {
    this.#earlier = this.#before;
    this.#before = this.#of(PASSES, workers);
  }

  spent(ms: number): void {
    this.#ms += ms;
  }

  endTurn(workers: number): void {
    const passes = this.#since(this.#before, workers);
    const sum = total(passes);
    // In a few passes shares say nothing.
    if (sum >= 2 * workers) this.#least = Math.min(this.#least, Math.min(...passes) / sum);
  }

  draw(workers: number, isActive: boolean): void {
    this.element.classList.toggle('active', isActive);
    const passes = this.#since(this.#earlier, workers);
    const sum = total(passes);
    const all = total(this.#of(PASSES, workers));
    this.#bars.show(passes, (value) => (sum === 0 ? '–' : percent(value / sum)));
    say(this.#rate, this.#ms < TURN_MS / 2 ? '–' : rate((1000 * all) / this.#ms));
    say(this.#share, this.#least === 1 ? '–' : percent(this.#least));
    say(this.#longest, all === 0 ? '–' : duration(Math.max(...this.#of(LONGEST, workers)) / 1000));
    if (isActive || all === 0) this.#view?.show(this.#group.report());
  }

  #since(before: readonly number[], workers: number): number[] {
    return this.#of(PASSES, workers).map((passes, worker) => passes - (before[worker] ?? 0));
  }

  #of(what: number, workers: number): number[] {
    return Array.from({ length: workers }, (_, worker) => this.#group.get(counter(this.#index, worker, what)));
  }
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export function fact(name: string, value: HTMLElement): HTMLElement {
  return h('div', {}, h('dt', {}, name), value);
}

export class ContestProgram implements Program {
  readonly stage: HTMLElement;
  readonly #group = new WorkerGroup();
  readonly #panels: readonly Panel[];
  readonly #contestants: readonly Contestant[];
  readonly #locks: readonly LockSpec[];
  #workers: number;
  #active = -1;
  #began = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(contestants: readonly Contestant[], workers: number) {
    this.#contestants = contestants;
    this.#workers = workers;
    this.#locks = contestants.map((contestant, index) => this.#create(contestant, index));
    this.#panels = contestants.map((contestant, index) => new Panel(this.#group, index, contestant));
    this.stage = h(
      'div',
      { class: `stage panels of-${contestants.length}` },
      ...this.#panels.map(({ element }) => element),
    );
  }

  get total(): number {
    return total(
      this.#contestants.flatMap((_, lock) =>
        Array.from({ length: this.#workers }, (__, worker) => this.#group.get(counter(lock, worker, PASSES))),
      ),
    );
  }

  async start(values: Values, isNew: boolean): Promise<void> {
    if (isNew) {
      this.#group.clear();
      this.#workers = values['workers'] ?? this.#workers;
      for (const panel of this.#panels) panel.clear();
    }
    this.change(values);
    const workers = Array.from({ length: this.#workers }, (_, index) => index);
    await Promise.all(workers.map((index) => this.#group.ready(index)));
    this.#turn(0);
    await Promise.all(workers.map((index) => this.#group.run(index, 'contest', { locks: this.#locks })));
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#endTurn();
    await this.#group.stop();
  }

  change({ pace = 0 }: Values): void {
    this.#group.set(INSIDE, PACES[pace] ?? 0);
    this.#group.set(OUTSIDE, 0);
  }

  draw(): void {
    this.#panels.forEach((panel, index) => {
      if (index === this.#active) this.#account();
      panel.draw(this.#workers, index === this.#active);
    });
  }

  #turn(index: number): void {
    this.#endTurn();
    this.#active = index;
    this.#began = performance.now();
    this.#panels[index]?.beginTurn(this.#workers);
    this.#group.set(PHASE, index);
    // A slow pace needs longer turns to show anything.
    const inside = this.#group.get(INSIDE) / 1000;
    this.#timer = setTimeout(() => this.#turn((index + 1) % this.#panels.length), TURN_MS + 3 * this.#workers * inside);
  }

  #account(): void {
    const now = performance.now();
    this.#panels[this.#active]?.spent(now - this.#began);
    this.#began = now;
  }

  #endTurn(): void {
    this.#account();
    this.#panels[this.#active]?.endTurn(this.#workers);
    this.#active = -1;
  }

  #create({ lock }: Contestant, index: number): LockSpec {
    const { arena } = this.#group;
    const name = nameOf(index);
    switch (lock) {
      case 'semaphore':
        return { kind: 'semaphore', handle: Semaphore.create(1, { arena, name }).handle };
      case 'turns':
      case 'fifo':
        return { kind: 'mutex', handle: Mutex.create({ arena, name, order: lock }).handle };
      case 'tts':
        return { kind: 'tts', handle: TtsLock.create({ arena, name }).handle };
      case 'capacitor': {
        const inner = TtsLock.create({ arena, name: 'inner lock' });
        return {
          kind: 'capacitor',
          handle: CapacitorLock.create(inner, { arena, name: 'capacitor' }).handle,
          inner: inner.handle,
        };
      }
      case 'spin':
      case 'futex':
        return { kind: lock, word: LOCK_WORDS + index };
    }
  }
}
