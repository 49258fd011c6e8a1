// What a filter accepts: every word of it has to occur in the text of a row.

import type { AgentFrame, PrimitiveFrame } from './frame.ts';

export class Filter {
  readonly #words: readonly string[];

  constructor(text: string) {
    this.#words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
  }

  primitive({ kind, name, holders, waiters, cycle, closed }: PrimitiveFrame): boolean {
    return this.#accepts(() => {
      const agents = [...holders, ...waiters].map(({ agent }) => `#${agent}`);
      const state = [
        cycle === '' ? '' : 'deadlock',
        closed ? 'closed' : '',
        waiters.length > 0 ? 'waiting' : '',
        holders.some(({ isDead }) => isDead) ? 'dead' : '',
      ];
      return [kind, name, ...agents, ...state].join(' ');
    });
  }

  agent({ agent, title, life, runtime, holds, waits }: AgentFrame): boolean {
    return this.#accepts(() => `#${agent} ${title} ${life} ${runtime} ${holds} ${waits}`);
  }

  #accepts(text: () => string): boolean {
    if (this.#words.length === 0) return true;
    const lower = text().toLowerCase();
    return this.#words.every((word) => lower.includes(word));
  }
}
