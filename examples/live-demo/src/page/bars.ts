// One bar for each worker.

import { colourOf, count, h, labelOf, say } from './dom.ts';

export class Bars {
  readonly element = h('div', { class: 'bars' });
  #rows: { readonly fill: HTMLElement; readonly number: HTMLElement; readonly row: HTMLElement }[] = [];

  /** `values`: by worker. The longest bar is as long as there is room. */
  show(
    values: readonly number[],
    text: (value: number, worker: number) => string = count,
    full = Math.max(1, ...values),
  ): void {
    if (this.#rows.length !== values.length) this.#build(values.length);
    this.#rows.forEach(({ fill, number }, worker) => {
      const value = values[worker] ?? 0;
      fill.style.transform = `scaleX(${Math.min(1, value / full).toFixed(4)})`;
      say(number, text(value, worker));
    });
  }

  /** Shows which workers are alive. */
  mark(isDead: (worker: number) => boolean): void {
    this.#rows.forEach(({ row }, worker) => row.classList.toggle('dead', isDead(worker)));
  }

  #build(length: number): void {
    this.#rows = Array.from({ length }, (_, worker) => {
      const fill = h('span', { class: 'fill', style: `background:${colourOf(worker)}` });
      const number = h('span', { class: 'number' }, '0');
      const row = h(
        'div',
        { class: 'bar' },
        h('span', { class: 'who' }, labelOf(worker)),
        h('span', { class: 'track' }, fill),
        number,
      );
      return { fill, number, row };
    });
    this.element.replaceChildren(...this.#rows.map(({ row }) => row));
  }
}
