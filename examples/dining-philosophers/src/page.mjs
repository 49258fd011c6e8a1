// One page for all dinners of a run. Each has an arena of its own.
import { startView } from '@sluice/inspect/view';
import { stderr } from 'node:process';

export class Page {
  /** @type {import('@sluice/inspect/view').ArenaView | undefined} */
  #view;

  /** @param {import('@sluice/core').Arena} arena */
  show(arena) {
    if (this.#view !== undefined) {
      this.#view.add(arena);
      return;
    }
    this.#view = startView(arena);
    stderr.write(`live view: ${this.#view.url}\n`);
  }
}
