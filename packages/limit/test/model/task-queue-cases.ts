// Cases of a task queue: agents hold tasks while it is paused, and wait for changes that other agents make.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { TASK_QUEUE_MUTANTS } from './task-queue-mutants.ts';
import {
  TaskQueueWorld,
  type Plan,
  type TaskQueueActor,
  type TaskQueueBody,
  type TaskQueueCore,
} from './task-queue-world.ts';

const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

interface Manner {
  readonly tasks?: number;
  /** Whether a task may be aborted while it waits. */
  readonly mayAbort?: boolean;
  readonly mayClose?: boolean;
  /** Whether a task that waits for its slot must not start in a paused queue. */
  readonly obeys?: boolean;
}

const NONE = { id: '', priority: 0, timeout: undefined, signal: undefined };

/** Runs tasks, all added at once. Each must run, unless it is aborted or the queue is closed. */
const runs =
  ({ tasks: count = 1, mayAbort = false, mayClose = false, obeys = false }: Manner = {}): TaskQueueBody =>
  ({ ctx, core, queueCore, tasks }: TaskQueueActor) => {
    const loop = new AsyncLoop(ctx);
    let over = 0;
    const counts = { waiting: 0, running: 0 };
    const run = (): void => {
      ctx.step('while it runs');
      tasks.changed();
      counts.running -= 1;
      tasks.end();
      over += 1;
    };
    const add = (): void => {
      const task = new queueCore.Task(tasks, counts, NONE);
      const abort = (): void => {
        if (!task.isWaiting) return;
        tasks.drop(task);
        task.reject('aborted');
        tasks.changed();
      };
      const refused = (failure: unknown): void => {
        ctx.assert(
          (mayAbort && failure === 'aborted') || (mayClose && core.hasCode(failure, 'SLUICE_CLOSED')),
          `a task was refused: ${String(failure)}`,
        );
        over += 1;
      };
      const started = tasks.start(task, (enter) => task.wait(enter, abort));
      if (started === undefined) run();
      else {
        if (mayAbort) loop.mayAbort(new ModelSignal()).addEventListener('abort', abort);
        started.then(() => {
          ctx.assert(!(obeys && tasks.state.isPaused), 'a task that waited starts in a paused queue');
          run();
        }, refused);
      }
    };
    loop.run(
      () => {
        for (let task = 0; task < count; task++) add();
      },
      () => over === count,
    );
  };

/** Waits until no task waits or runs. */
const untilIdle =
  ({ mayClose = false }: Manner = {}): TaskQueueBody =>
  ({ ctx, core, tasks }) => {
    const loop = new AsyncLoop(ctx);
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    loop.run(
      () => {
        const holds = (): boolean => tasks.size === 0 && tasks.pending === 0;
        if (holds()) end();
        else
          tasks.until(holds).then(end, (failure: unknown) => {
            ctx.assert(mayClose && core.hasCode(failure, 'SLUICE_CLOSED'), `a wait failed: ${String(failure)}`);
            end();
          });
      },
      () => isOver,
    );
  };

const resume: TaskQueueBody = ({ tasks }) => tasks.resume();

const pauseAndResume: TaskQueueBody = ({ ctx, tasks }) => {
  tasks.pause();
  ctx.step('while it is paused');
  tasks.resume();
};

/** Pauses the queue while it has the only slot, so no task can have one that it got before. Then starts the queue. */
const pauseInSlot: TaskQueueBody = ({ ctx, tasks }) => {
  if (!tasks.slots.tryTake()) return;
  tasks.pause();
  tasks.slots.giveBack();
  ctx.step('while it is paused');
  tasks.resume();
};

const close: TaskQueueBody = ({ tasks }) => {
  tasks.slots.close();
  tasks.state.close();
};

export function taskQueueCases(core: TaskQueueCore): Case[] {
  const make = (
    name: string,
    size: number,
    bodies: readonly TaskQueueBody[],
    options: Options,
    more: Partial<Plan> = {},
  ): Case => new TaskQueueWorld(core, { name, size, bodies, options, ...more }).case;
  const paused = { isPaused: true };
  return [
    make('one agent holds a task while another starts the queue', 1, [runs(), resume], ALL, paused),
    make('two agents hold tasks while a third starts the queue', 1, [runs(), runs(), resume], FEW, paused),
    make('one agent holds two tasks while another starts the queue', 1, [runs({ tasks: 2 }), resume], TWO, paused),
    make('one agent adds a task while another pauses and starts the queue', 1, [runs(), pauseAndResume], TWO),
    make('one agent adds two tasks while another pauses and starts', 1, [runs({ tasks: 2 }), pauseAndResume], TWO),
    make('no task starts in a paused queue', 1, [runs({ obeys: true }), pauseInSlot], TWO),
    make(
      'a held task may be aborted while another agent starts the queue',
      1,
      [runs({ mayAbort: true }), resume],
      TWO,
      paused,
    ),
    make('one agent waits until the queue is idle while another runs a task', 1, [untilIdle(), runs()], TWO),
    make(
      'two agents wait until the queue is idle while a third runs a task',
      1,
      [untilIdle(), untilIdle(), runs()],
      FEW,
    ),
    make(
      'one agent waits until the queue is idle while another runs two tasks',
      1,
      [untilIdle(), runs({ tasks: 2 })],
      TWO,
    ),
    make(
      'one agent waits until the queue is idle while another aborts a task',
      1,
      [untilIdle(), runs({ tasks: 2, mayAbort: true })],
      FEW,
    ),
    make(
      'one agent closes the queue while others hold a task and wait',
      1,
      [runs({ mayClose: true }), untilIdle({ mayClose: true }), close],
      FEW,
      paused,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'task queue',
    entry: new URL('task-queue-entry.ts', import.meta.url),
    lowered: true,
    cases: taskQueueCases,
    mutants: TASK_QUEUE_MUTANTS,
  },
];
