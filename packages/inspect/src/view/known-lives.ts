// Finds out whether the threads of agents exist, without their answers. A probe uses up an answer, and a blocked agent
// has few: ten frames a second would leave none for the recovery of the dead.

import { AGENT_ARMED, AGENT_OS_THREAD, AGENT_PENDING, AGENT_STATE, OWNER } from '@sluice/core/format';
import { ARMED_WAITS, type Reader } from '@sluice/core/report';
import { existsSync } from 'node:fs';

type Life = 'alive' | 'dead' | 'unknown';

/** Linux lists the threads of a process here. */
const TASKS = '/proc/self/task';

/** The most probes of an agent whose event loop does not turn. */
const MOST_PROBES = 2;

interface Probed {
  readonly agent: number;
  count: number;
}

/** The lives of the agents of one arena, as one onlooker knows them. */
export class KnownLives {
  readonly #words: Reader['words'];
  readonly #exists: ((osThread: number) => boolean) | undefined;
  readonly #probed = new Map<number, Probed>();

  constructor(words: Reader['words'], exists = threadList()) {
    this.#words = words;
    this.#exists = exists;
  }

  /** Returns `undefined` if the agent of the record may be probed. */
  of(record: number): Life | undefined {
    const words = this.#words;
    if (words.load32(record + AGENT_STATE) === AGENT_PENDING) return 'dead';
    const osThread = words.load32(record + AGENT_OS_THREAD);
    if (osThread !== 0 && this.#exists !== undefined) return this.#exists(osThread) ? 'alive' : 'dead';
    const agent = words.load32(record + OWNER);
    // An agent whose event loop turns has renewed the answers that it gave.
    if (words.load32(record + AGENT_ARMED) >= ARMED_WAITS) {
      this.#probed.delete(record);
      return undefined;
    }
    const known = this.#probed.get(record);
    const probed = known?.agent === agent ? known : { agent, count: 0 };
    this.#probed.set(record, probed);
    if (probed.count >= MOST_PROBES) return 'unknown';
    probed.count += 1;
    return undefined;
  }
}

/** Returns a function that tells whether this process has a thread. `undefined` if the platform lists no threads. */
function threadList(): ((osThread: number) => boolean) | undefined {
  return existsSync(TASKS) ? (osThread) => existsSync(`${TASKS}/${osThread}`) : undefined;
}
