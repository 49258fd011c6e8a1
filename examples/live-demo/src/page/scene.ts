// The frame of a scene: title, controls, code, and when it runs. A scene starts by itself when it comes into view, and
// is paused off-screen and in a hidden page.

import { count, h, say } from './dom.ts';
import { codeOf, linkTo } from './pages.ts';

/** The methods of a scene. The frame calls them one at a time. */
export interface Program {
  readonly stage: HTMLElement;
  /** Begins a new run, or continues the paused one. */
  start(values: Values, isNew: boolean): Promise<void>;
  stop(): Promise<void>;
  draw(): void;
  /** Progress so far: a number that grows while the scene runs. */
  readonly total: number;
  /** A control was moved while the scene runs, and the scene takes it up without a new start. */
  change(values: Values): void;
}

export type Values = Readonly<Record<string, number>>;

export interface Control {
  readonly key: string;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly text: (value: number) => string;
  /** A change begins a new run. */
  readonly restarts?: boolean;
}

export interface SceneSpec {
  readonly id: string;
  /** The page of the documentation about it. */
  readonly page: string;
  readonly title: string;
  /** One sentence that tells what to watch. */
  readonly look: string;
  /** The unit of `total`. */
  readonly unit: string;
  readonly controls: readonly Control[];
  readonly program: () => Program;
}

type State = 'stopped' | 'running' | 'paused';

const isCalm = matchMedia('(prefers-reduced-motion: reduce)');
const drawMs = (): number => (isCalm.matches ? 1000 : 100);
/** A scene runs while a part of it is in the middle half of the window. */
const MIDDLE = '-25% 0px';

export class Scene {
  readonly element: HTMLElement;
  readonly #button = h('button', { type: 'button', class: 'primary', 'data-action': 'toggle' }, 'Start');
  readonly #state = h('span', { class: 'state', role: 'status' }, 'Stopped');
  readonly #total = h('span', { class: 'total', 'data-total': '' }, '0');
  readonly #values: Record<string, number> = {};
  readonly #program: Program;
  /** With `prefers-reduced-motion` nothing starts by itself. */
  #wanted = !isCalm.matches;
  #isVisible = false;
  #isFresh = true;
  #now: State = 'stopped';
  /** Starts and stops, one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(spec: SceneSpec, number: number) {
    for (const { key, value } of spec.controls) this.#values[key] = value;
    this.#program = spec.program();
    const heading = `${spec.id}-title`;
    this.element = h(
      'section',
      { class: 'scene', id: spec.id, 'aria-labelledby': heading, 'data-state': 'stopped' },
      h(
        'header',
        {},
        h('p', { class: 'ordinal', 'aria-hidden': 'true' }, String(number)),
        h('h2', { id: heading }, spec.title),
        h('p', { class: 'status' }, this.#state, h('span', { class: 'count' }, this.#total, ` ${spec.unit}`)),
        h('p', { class: 'look' }, spec.look),
      ),
      h(
        'div',
        { class: 'controls', role: 'group', 'aria-label': `Controls: ${spec.title}` },
        this.#button,
        ...spec.controls.map((control) => this.#slider(control)),
      ),
      h('div', { class: 'body' }, this.#program.stage, codeOf(spec.id, linkTo(spec.page, spec.title))),
    );
    this.#button.addEventListener('click', () => {
      this.#wanted = !this.#wanted;
      if (this.#wanted) this.#isFresh = true;
      this.#update();
    });
    const onMove: IntersectionObserverCallback = (entries) => {
      this.#isVisible = entries.at(-1)?.isIntersecting ?? false;
      this.#update();
    };
    new IntersectionObserver(onMove, { rootMargin: MIDDLE }).observe(this.element);
    document.addEventListener('visibilitychange', () => this.#update());
  }

  /** Also when the width changes. */
  draw(): void {
    this.#program.draw();
    say(this.#total, count(this.#program.total));
  }

  #slider({ key, label, min, max, value, text, restarts = false }: Control): HTMLElement {
    const output = h('output', {}, text(value));
    const input = h('input', {
      type: 'range',
      min: String(min),
      max: String(max),
      value: String(value),
      step: '1',
      'data-control': key,
    });
    input.setAttribute('aria-valuetext', text(value));
    input.addEventListener('input', () => {
      this.#values[key] = Number(input.value);
      say(output, text(Number(input.value)));
      input.setAttribute('aria-valuetext', text(Number(input.value)));
      if (!restarts) this.#program.change(this.#values);
    });
    if (restarts) input.addEventListener('change', () => this.#restart());
    return h('label', { class: 'slider' }, h('span', {}, label), input, output);
  }

  #restart(): void {
    this.#isFresh = true;
    if (this.#now !== 'running') return;
    this.#enqueue(() => this.#halt('stopped'));
    this.#update();
  }

  #update(): void {
    this.#enqueue(async () => {
      const runs = this.#wanted && this.#isVisible && !document.hidden;
      if (runs && this.#now !== 'running') await this.#go();
      else if (!runs) await this.#halt(this.#wanted ? 'paused' : 'stopped');
    });
  }

  #enqueue(action: () => Promise<void>): void {
    this.#queue = this.#queue.then(action).catch((failure: unknown) => this.#fail(failure));
  }

  async #go(): Promise<void> {
    const isNew = this.#isFresh;
    this.#isFresh = false;
    this.#show('running');
    await this.#program.start(this.#values, isNew);
    this.#tick();
  }

  async #halt(state: State): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#now === 'running') {
      await this.#program.stop();
      this.draw();
    }
    this.#show(state);
  }

  #tick(): void {
    this.draw();
    this.#timer = setTimeout(() => this.#tick(), drawMs());
  }

  #show(state: State): void {
    this.#now = state;
    this.element.dataset['state'] = state;
    say(this.#button, this.#wanted ? 'Stop' : 'Start');
    say(this.#state, { stopped: 'Stopped', running: 'Running', paused: 'Runs when in view' }[state]);
  }

  #fail(failure: unknown): void {
    clearTimeout(this.#timer);
    this.#wanted = false;
    this.#show('stopped');
    say(this.#state, `Failed: ${failure instanceof Error ? failure.message : String(failure)}`);
    console.error(failure);
  }
}
