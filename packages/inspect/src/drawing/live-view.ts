// Draws the reports of a program that shares an arena. The reports may be from this thread or from anywhere.

import { rowsOf, type ViewReport } from './rows.ts';
import { svgOf } from './svg.ts';

export interface DrawingOptions {
  /** Only the primitives with these names, in this order. Default: all. */
  readonly names?: readonly string[];
  /** Returns what a thread is called, in a few letters. Default: `#` and the number of its agent. */
  readonly label?: (agent: number) => string;
  /** Returns what a pointer over a thread shows. Default: nothing. */
  readonly title?: (agent: number) => string;
  /** Returns a CSS colour. Default: one of eight, by the number of the agent. */
  readonly colour?: (agent: number) => string;
  /** How many primitives stand side by side, where there is room. Default 1. */
  readonly columns?: number;
  /** When the report was made, in ms since 1970. Default: now. */
  readonly now?: number;
}

/** An element of a page. */
export interface ViewElement {
  readonly clientWidth: number;
  innerHTML: string;
}

const PALETTE = ['#2f6fd0', '#c8591b', '#1e8a66', '#a3479a', '#8a6d00', '#177e9c', '#c23b55', '#6c5fc7'] as const;

/** Returns one of eight colours. */
export const paletteColour = (agent: number): string => PALETTE[(agent - 1) % PALETTE.length] ?? PALETTE[0];
const DEFAULT_WIDTH = 320;

/**
 * Returns a drawing of a report as SVG text: for each primitive the threads that hold it, its gate, and the threads in
 * line. The dead are grey, and deadlocks red.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { arenaSvg } from '@sluice/inspect/drawing';
 *
 * const arena = Arena.create();
 * Semaphore.create(1, { arena, name: 'door' }).acquire();
 * console.log(arenaSvg(arena.inspect(), 400).includes('aria-label="door: held by #1."')); // true
 * ```
 *
 * @param report - From `arena.inspect()`, perhaps as JSON, with `deadlocks` from `findDeadlocks()` if it is to show them.
 * @param width - CSS pixels.
 * @throws {TypeError} If `report` is no report, or `width` is no positive number.
 */
export function arenaSvg(report: ViewReport, width: number, options: DrawingOptions = {}): string {
  check(report, width);
  const {
    names,
    label = (agent) => `#${agent}`,
    title = () => '',
    colour = paletteColour,
    columns = 1,
    now = Date.now(),
  } = options;
  return svgOf(rowsOf(report, now, names), { width, columns, label, title, colour });
}

/** Reports come from elsewhere as JSON, too. */
function check(report: unknown, width: unknown): void {
  const { agents, blocks } = (report ?? {}) as { readonly agents?: unknown; readonly blocks?: unknown };
  if (!Array.isArray(agents) || !Array.isArray(blocks))
    throw new TypeError('The report must be what arena.inspect() returns, with agents and blocks. Nothing was drawn.');
  if (typeof width !== 'number' || !(width > 0) || width === Infinity)
    throw new TypeError(
      `The width must be a positive number of CSS pixels: received ${String(width)}. Nothing was drawn.`,
    );
}

/**
 * Draws a report in an element, as wide as the element is.
 *
 * @throws {TypeError} If `report` is no report.
 */
export function drawArena(report: ViewReport, element: ViewElement, options: DrawingOptions = {}): void {
  const svg = arenaSvg(report, element.clientWidth || DEFAULT_WIDTH, options);
  element.innerHTML = svg;
}

/**
 * Draws one report after the other in the same element.
 *
 * ```ts
 * const view = new LiveView(document.querySelector('#arena'));
 * setInterval(() => view.show(arena.inspect()), 100);
 * ```
 */
export class LiveView {
  readonly #element: ViewElement;
  readonly #options: DrawingOptions;

  constructor(element: ViewElement, options: DrawingOptions = {}) {
    this.#element = element;
    this.#options = options;
  }

  /**
   * Draws a report in place of the one before.
   *
   * @throws {TypeError} If `report` is no report.
   */
  show(report: ViewReport): void {
    drawArena(report, this.#element, this.#options);
  }
}
