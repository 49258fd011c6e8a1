// A live view of any program that shares an arena: give it reports, from this thread or from anywhere, and it draws
// them.
//
//   const view = new LiveView(document.querySelector('#arena'));
//   setInterval(() => view.show(arena.inspect()), 100);

import { rowsOf, type ViewReport } from './rows.ts';
import { svgOf } from './svg.ts';

export interface ViewOptions {
  /** Only the primitives with these names, in this order. Default: all. */
  readonly names?: readonly string[];
  /** What a thread is called, in a few letters. Default: `#` and the number of its agent. */
  readonly label?: (agent: number) => string;
  /** A CSS colour. Default: one of eight, by the number of the agent. */
  readonly colour?: (agent: number) => string;
  /** How many primitives stand side by side, where there is room. Default: 1. */
  readonly columns?: number;
  /** When the report was made, in ms since 1970. Default: now. */
  readonly now?: number;
}

/** Of an element in a page. */
export interface ViewElement {
  readonly clientWidth: number;
  innerHTML: string;
}

export const PALETTE = [
  '#2f6fd0',
  '#c8591b',
  '#1e8a66',
  '#a3479a',
  '#8a6d00',
  '#177e9c',
  '#c23b55',
  '#6c5fc7',
] as const;

const paletteColour = (agent: number): string => PALETTE[(agent - 1) % PALETTE.length] ?? PALETTE[0];
const DEFAULT_WIDTH = 320;

/** The drawing as SVG text, for a page, a file or a mail. */
export function arenaSvg(report: ViewReport, width: number, options: ViewOptions = {}): string {
  const { names, label = (agent) => `#${agent}`, colour = paletteColour, columns = 1, now = Date.now() } = options;
  return svgOf(rowsOf(report, now, names), { width, columns, label, colour });
}

/** Draws the report in an element, as wide as the element is. */
export function drawArena(report: ViewReport, element: ViewElement, options: ViewOptions = {}): void {
  const svg = arenaSvg(report, element.clientWidth || DEFAULT_WIDTH, options);
  element.innerHTML = svg;
}

/** Draws one report after the other in the same element. */
export class LiveView {
  readonly #element: ViewElement;
  readonly #options: ViewOptions;

  constructor(element: ViewElement, options: ViewOptions = {}) {
    this.#element = element;
    this.#options = options;
  }

  show(report: ViewReport): void {
    drawArena(report, this.#element, this.#options);
  }
}
