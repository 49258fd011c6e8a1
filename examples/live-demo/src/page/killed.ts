// Workers move money between two accounts under a mutex. The page terminates the owner of the mutex between its two
// writes.

import { Mutex } from 'sluice';
import { ACCOUNTS, counter, DOING, INSIDE, PASSES, PHASE, REPAIRS, VICTIM } from '../shared/control.ts';
import { RESTS, TOTAL, TRAPPED } from '../shared/ledger.ts';
import { duration, LiveView } from 'sluice/drawing';
import { Bars } from './bars.ts';
import { fact } from './contest.ts';
import { WorkerGroup } from './worker-group.ts';
import { count, h, labelOf, say } from './dom.ts';
import type { Program, Values } from './scene.ts';

/** Time between the two writes, in microseconds, by the position of the slider. */
export const MOVES = [20_000, 100_000, 400_000, 1_000_000] as const;
export const moveText = (value: number): string => `${(MOVES[value] ?? 0) / 1000} ms`;
const MAX_LINES = 6;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class KilledProgram implements Program {
  readonly #group = new WorkerGroup();
  readonly #mutex = Mutex.create({ arena: this.#group.arena, name: 'ledger' });
  readonly #kill = h(
    'button',
    { type: 'button', class: 'danger', 'data-action': 'kill', disabled: '' },
    'Terminate the owner',
  );
  readonly #accounts = [h('dd', {}, '0'), h('dd', {}, '0')] as const;
  readonly #moving = h('dd', {}, '0');
  readonly #sum = h('dd', { 'data-sum': '' }, '–');
  readonly #repairs = h('dd', { 'data-repairs': '' }, '0');
  readonly #bars = new Bars();
  readonly #arena = h('div', { class: 'arena' });
  readonly #view = new LiveView(this.#arena, {
    names: ['ledger'],
    label: (agent) => `${this.#group.view.label(agent)}${agent === this.#dead?.agent ? ' ✕' : ''}`,
    colour: (agent) => (agent === this.#dead?.agent ? 'var(--muted)' : this.#group.view.colour(agent)),
  });
  readonly #log = h('ol', { class: 'log', role: 'log', 'aria-label': 'What happened' });
  readonly stage = h(
    'div',
    { class: 'stage killed' },
    h(
      'div',
      { class: 'panel' },
      h('h3', {}, 'Accounts'),
      h(
        'dl',
        { class: 'facts plain' },
        fact('A', this.#accounts[0]),
        fact('B', this.#accounts[1]),
        fact('moving', this.#moving),
        fact('sum', this.#sum),
        fact('repaired', this.#repairs),
      ),
      this.#arena,
      h('h3', {}, 'Moves'),
      this.#bars.element,
    ),
    h('div', { class: 'panel' }, this.#kill, h('h3', {}, 'What happened'), this.#log),
  );
  #workers: number;
  #runs = false;
  /** The worker that was terminated and is not yet found dead, and when. */
  #dead: { readonly index: number; readonly agent: number; readonly at: number } | undefined;
  readonly #watched = new WeakSet<Worker>();
  #seenRepairs = 0;

  constructor(workers: number) {
    this.#workers = workers;
    this.#kill.addEventListener('click', () => {
      this.#terminate().catch((failure: unknown) => console.error(failure));
    });
  }

  get total(): number {
    return this.#passes().reduce((a, b) => a + b, 0);
  }

  async start(values: Values, isNew: boolean): Promise<void> {
    if (isNew) {
      this.#group.clear();
      this.#workers = values['workers'] ?? this.#workers;
      this.#group.set(ACCOUNTS, TOTAL / 2);
      this.#group.set(ACCOUNTS + 1, TOTAL / 2);
      this.#seenRepairs = 0;
      this.#log.replaceChildren();
    }
    this.#group.set(PHASE, 0);
    this.change(values);
    this.#runs = true;
    await Promise.all(Array.from({ length: this.#workers }, (_, index) => this.#hire(index)));
    this.#kill.disabled = false;
  }

  async stop(): Promise<void> {
    this.#runs = false;
    this.#kill.disabled = true;
    await this.#group.stop();
  }

  change({ move = 0 }: Values): void {
    this.#group.set(INSIDE, MOVES[move] ?? 0);
  }

  draw(): void {
    this.#bars.show(this.#passes(), count);
    this.#bars.mark((worker) => this.#dead?.index === worker);
    const [a, b] = [this.#group.get(ACCOUNTS), this.#group.get(ACCOUNTS + 1)];
    const isMoving = Array.from({ length: this.#workers }, (_, worker) =>
      this.#group.get(counter(0, worker, DOING)),
    ).some((doing) => doing !== RESTS);
    const isOpen = a + b > 0;
    say(this.#accounts[0], isOpen ? String(a) : '–');
    say(this.#accounts[1], isOpen ? String(b) : '–');
    // A dead worker's unit is missing until the next owner has repaired the accounts.
    const moving = isMoving && a + b === TOTAL - 1 ? 1 : 0;
    say(this.#moving, String(moving));
    say(this.#sum, isOpen ? String(a + b + moving) : '–');
    const repairs = this.#group.get(REPAIRS);
    say(this.#repairs, `${repairs} ×`);
    if (repairs > this.#seenRepairs) {
      this.#seenRepairs = repairs;
      this.#tell('The next waiter got the mutex with an OwnerDiedError, and repaired the accounts.', 'good');
    }
    this.#view.show(this.#group.report());
  }

  async #hire(index: number): Promise<void> {
    const { worker } = await this.#group.ready(index);
    if (!this.#watched.has(worker)) {
      this.#watched.add(worker);
      this.#group.arena.watch(worker, { onReclaim: ({ agent }) => this.#reclaimed(agent) });
    }
    await this.#group.run(index, 'move', { mutex: this.#mutex.handle });
  }

  async #terminate(): Promise<void> {
    this.#kill.disabled = true;
    let index: number | undefined;
    // In the moment of a hand-off the mutex has no owner.
    while (index === undefined) {
      index = this.#group.indexOf(this.#mutex.inspect().owner);
      if (index === undefined) await sleep(5);
      if (!this.#runs) return;
    }
    this.#group.set(VICTIM, index + 1);
    while (this.#group.get(counter(0, index, DOING)) !== TRAPPED) {
      await sleep(20);
      if (this.#runs) continue;
      this.#group.set(VICTIM, 0);
      return;
    }
    const agent = await this.#group.kill(index);
    this.#dead = { index, agent, at: performance.now() };
    this.#tell(`The page terminated ${labelOf(index)} between its two writes.`, 'bad');
  }

  #reclaimed(agent: number): void {
    const dead = this.#dead;
    if (dead?.agent !== agent) return;
    this.#tell(
      `${duration(performance.now() - dead.at)} later the watch found it dead. The mutex went to the next waiter.`,
    );
    this.#dead = undefined;
    this.#group.set(VICTIM, 0);
    this.#group.set(counter(0, dead.index, DOING), RESTS);
    if (!this.#runs) return;
    this.#hire(dead.index).then(
      () => {
        this.#kill.disabled = !this.#runs;
        this.#tell(`A new worker took the place of ${labelOf(dead.index)}.`);
      },
      (failure: unknown) => console.error(failure),
    );
  }

  #tell(text: string, kind = ''): void {
    this.#log.append(h('li', { class: kind }, text));
    while (this.#log.childElementCount > MAX_LINES) this.#log.firstElementChild?.remove();
  }

  #passes(): number[] {
    return Array.from({ length: this.#workers }, (_, worker) => this.#group.get(counter(0, worker, PASSES)));
  }
}
