// The workers of one scene. They stay between two runs: a start then takes no new thread.

import { Arena, Region, type ArenaReport } from 'sluice';
import { CONTROL_BYTES, PHASE, reset, STOP } from '../shared/control.ts';
import type { FromWorker, JobName, Jobs, ToWorker } from '../shared/messages.ts';
import { colourOf, labelOf } from './dom.ts';
import type { DrawingOptions } from 'sluice/drawing';

interface Member {
  readonly worker: Worker;
  readonly agent: number;
  /** Resolves when the page terminates the worker: it then answers no more, and in WebKit takes no events. */
  readonly terminated: Promise<void>;
  readonly onTerminate: () => void;
}

const MAX_AGAIN = 5;

export class WorkerGroup {
  readonly arena = Arena.create({ maxPages: 64 });
  readonly #region = Region.create(CONTROL_BYTES, { arena: this.arena, name: 'control' });
  readonly control = this.#region.int32;
  readonly #members = new Map<number, Promise<Member>>();
  readonly #numbers = new Map<number, number>();
  #running: Promise<unknown>[] = [];
  /** Called when a job fails. */
  onFailure: (reason: unknown) => void = (reason) => console.error(reason);

  /** The index of the worker with that agent. */
  indexOf(agent: number): number | undefined {
    return this.#numbers.get(agent);
  }

  readonly view = {
    label: (agent) => {
      const index = this.#numbers.get(agent);
      return index === undefined ? 'page' : labelOf(index);
    },
    colour: (agent) => {
      const index = this.#numbers.get(agent);
      return index === undefined ? 'var(--muted)' : colourOf(index);
    },
  } satisfies DrawingOptions;

  /** Words change while a report is taken. One that saw a lock in two hands is taken again, a few times at most. */
  report(): ArenaReport {
    let report = this.arena.inspect();
    for (let again = 0; again < MAX_AGAIN && hasLockWithTwoOwners(report); again++) report = this.arena.inspect();
    return report;
  }

  /** Zeroes what the run before counted. Call it before `run`, with no job running. */
  clear(): void {
    reset(this.control);
    Atomics.store(this.control, PHASE, 0);
  }

  set(index: number, value: number): void {
    Atomics.store(this.control, index, value);
    if (index === PHASE) Atomics.notify(this.control, PHASE);
  }

  get(index: number): number {
    return Atomics.load(this.control, index);
  }

  /** Starts the worker if it is not there. Resolves when it has joined the arena. */
  ready(index: number): Promise<Member> {
    let member = this.#members.get(index);
    if (member === undefined) {
      member = this.#start(index);
      this.#members.set(index, member);
    }
    return member;
  }

  async run<Name extends JobName>(index: number, job: Name, data: Jobs[Name]): Promise<void> {
    const { worker, terminated } = await this.ready(index);
    const done = Promise.race([answer(worker), terminated]).catch((reason: unknown) => this.onFailure(reason));
    worker.postMessage({ job, worker: index, data });
    this.#running.push(done);
  }

  /** Ends all jobs. The workers stay. */
  async stop(): Promise<void> {
    this.set(PHASE, STOP);
    await Promise.all(this.#running);
    this.#running = [];
  }

  /** Terminates a worker wherever it is. What it held comes back by the watch. */
  async kill(index: number): Promise<number> {
    const { worker, agent, onTerminate } = await this.ready(index);
    this.#members.delete(index);
    worker.terminate();
    onTerminate();
    return agent;
  }

  async #start(index: number): Promise<Member> {
    const worker = new Worker(new URL('worker.js', location.href), { type: 'module', name: labelOf(index) });
    worker.postMessage({ arena: this.arena.handle, control: this.#region.handle } satisfies ToWorker);
    const joined = await answer(worker);
    const agent = 'joined' in joined ? joined.joined : 0;
    this.#numbers.set(agent, index);
    let onTerminate = (): void => undefined;
    const terminated = new Promise<void>((resolve) => (onTerminate = resolve));
    return { worker, agent, terminated, onTerminate };
  }
}

function hasLockWithTwoOwners({ agents }: ArenaReport): boolean {
  const held = agents.flatMap(({ holds }) => holds.filter(({ kind }) => kind === 'lock').map(({ address }) => address));
  return new Set(held).size < held.length;
}

/** The next message of a worker. */
function answer(worker: Worker): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const once = { once: true };
    worker.addEventListener('error', ({ message }) => reject(new Error(`A worker failed: ${message}`)), once);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<FromWorker>) => {
        if ('failed' in data) reject(new Error(data.failed));
        else resolve(data);
      },
      once,
    );
  });
}
