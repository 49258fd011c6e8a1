// Removes what has expired from a state in memory. Steps treat it as absent, so this may happen at any time.

import type { State } from './state.ts';

export class Expiry {
  readonly #state: State;
  #next: MapIterator<[string, { readonly sessions: { readonly size: number }; readonly expires: number }]>;

  constructor(state: State) {
    this.#state = state;
    this.#next = state.lines.entries();
  }

  /** Looks at the next `most` lines, and begins again behind the last one. */
  sweep(us: number, most: number): void {
    for (let n = 0; n < most; n++) {
      const { done, value } = this.#next.next();
      if (done === true) {
        this.#next = this.#state.lines.entries();
        return;
      }
      const [name, { sessions, expires }] = value;
      if (sessions.size === 0 && us >= expires) this.#state.lines.delete(name);
    }
  }
}
