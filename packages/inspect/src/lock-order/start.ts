// Switches the check of the order of locks on and off in this thread, and gives its table to the threads that this one
// starts.

import { HandleError } from '@sluice/core';
import {
  checkFunction,
  checkOptions,
  consoleText,
  dispose,
  INSPECT,
  isSharedBuffer,
  isThenable,
  refusePosting,
  show,
} from '@sluice/core/calls';
import { startTool, stopTool } from '../observe/observer.ts';
import { warnProcess } from '../process/process-warning.ts';
import { OrderChecker, type Nesting } from './order-checker.ts';
import { OrderTable } from './order-table.ts';
import { environmentData, setEnvironmentData } from '../tables/environment-data.ts';
import type { OrderViolation } from './violation.ts';

/** What another thread needs to check the order together with this one. It can be posted. */
export interface OrderHandle {
  readonly kind: 'sluice.lock-order';
  readonly memory: SharedArrayBuffer;
}

export interface OrderOptions {
  /**
   * Called with each violation that this thread completes, in the middle of the call that asks for the lock, before it
   * waits. It must not use that lock. Default: a process warning with the code SLUICE_LOCK_ORDER, or `console.warn`
   * where the platform has no such warnings.
   */
  readonly onViolation?: ((violation: OrderViolation) => void) | undefined;
  /**
   * By the name of a class: which of its locks may be acquired while another one of it is held. Without it, two locks
   * of a class may be nested in one order.
   */
  readonly nesting?: Readonly<Record<string, Nesting>> | undefined;
  /**
   * The `handle` of another thread's checks. Default: that of the thread that started this one, as far as the platform
   * has environment data of threads, as Node.js has.
   */
  readonly handle?: OrderHandle | undefined;
}

const OPTIONS: readonly (keyof OrderOptions)[] = ['onViolation', 'nesting', 'handle'];
const KIND = 'sluice.lock-order';

/** The check of the order that `startOrderChecks` began, until `stop` or the end of a `using` block. */
export class OrderChecks {
  /** Pass it to `startOrderChecks` in another thread, where the platform does not hand it on. */
  readonly handle: OrderHandle;
  readonly #table: OrderTable;
  readonly #checker: OrderChecker;

  /** @internal */
  constructor(table: OrderTable, checker: OrderChecker) {
    refusePosting(this);
    this.#table = table;
    this.#checker = checker;
    this.handle = Object.freeze({ kind: KIND, memory: table.memory });
    startTool(checker);
  }

  /** Whether orders were lost, because the program has more than 2,000 of them. Those before are checked. */
  get isFull(): boolean {
    return this.#table.isFull;
  }

  /** Ends the check in this thread. A second call does nothing. */
  stop(): void {
    stopTool(this.#checker);
    this.#checker.clear();
  }

  [INSPECT](): string {
    return consoleText('OrderChecks', () => ({ isFull: this.isFull }));
  }

  [dispose](): void {
    this.stop();
  }
}

/**
 * Checks the order in which the threads of the program acquire locks, as Linux's lockdep does, until `stop`. If one
 * thread acquires B while it holds A, and another one acquires A while it holds B, they can wait for each other forever.
 * The first run in which both happen reports it, even if they never happen at the same time. So do longer cycles.
 *
 * Call it in each thread, before the thread creates or opens its locks: older ones are not followed. Locks of one name
 * in one arena are a class, and so are locks without a name that one place of the program creates. A keyed mutex is one
 * class.
 *
 * ```ts run
 * import { startOrderChecks } from '@sluice/inspect';
 * import { Mutex } from '@sluice/mutex';
 *
 * const checks = startOrderChecks({ onViolation: ({ steps }) => console.log(steps.map(({ held }) => held)) });
 * const [a, b] = [Mutex.create({ name: 'a' }), Mutex.create({ name: 'b' })];
 * a.run(() => b.run(() => undefined));
 * b.run(() => a.run(() => undefined)); // [ "lock 'b'", "lock 'a'" ]
 * checks.stop();
 * ```
 *
 * @throws {HandleError} If `handle` is not that of checks of this version.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 */
export function startOrderChecks(options: OrderOptions = {}): OrderChecks {
  checkOptions(options, OPTIONS);
  const {
    onViolation = ({ text }: OrderViolation) => warnProcess('SLUICE_LOCK_ORDER', text),
    nesting = {},
    handle,
  } = options;
  checkFunction(onViolation);
  const rules = nestingIn(nesting);
  const table = handle === undefined ? inheritedTable() : new OrderTable(memoryOf(handle));
  return new OrderChecks(table, new OrderChecker(table, rules, guarded(onViolation)));
}

function nestingIn(nesting: unknown): Map<string, Nesting> {
  if (typeof nesting !== 'object' || nesting === null)
    throw new TypeError(`nesting must be an object with a rule for each name: received ${show(nesting)}`);
  const rules = new Map<string, Nesting>();
  for (const [name, rule] of Object.entries<unknown>(nesting as Record<string, unknown>)) {
    if (rule !== 'any' && rule !== 'never' && typeof rule !== 'function')
      throw new TypeError(`The nesting of '${name}' must be 'any', 'never' or a function: received ${show(rule)}`);
    rules.set(name, typeof rule === 'function' ? guardedRule(name, rule as NestingRule) : rule);
  }
  return rules;
}

type NestingRule = Exclude<Nesting, string>;

/**
 * A rule must not end the call of the program in which it is asked. If it throws or returns a promise, the order is
 * allowed.
 */
function guardedRule(name: string, rule: NestingRule): NestingRule {
  let hasThrown = false;
  return (outer, inner) => {
    try {
      const answer: unknown = rule(outer, inner);
      if (!isThenable(answer)) return answer as boolean;
      Promise.resolve(answer).catch(() => undefined);
      throw new TypeError('it returned a promise');
    } catch (failure) {
      if (!hasThrown)
        warnProcess(
          'SLUICE_LOCK_ORDER',
          `The nesting of '${name}' threw an error for the keys ${show(outer)} and ${show(inner)}: ${failure instanceof Error ? failure.message : show(failure)}. Orders for which it throws are not reported.`,
        );
      hasThrown = true;
      return true;
    }
  };
}

function memoryOf(handle: unknown): SharedArrayBuffer {
  const { kind, memory } = (typeof handle === 'object' && handle !== null ? handle : {}) as Partial<OrderHandle>;
  if (kind === KIND && isSharedBuffer(memory) && OrderTable.is(memory)) return memory;
  throw new HandleError(
    `Expected the handle of order checks of this version: received ${show(handle)}. Nothing was switched on.`,
  );
}

/** A listener must not end the call of the program in which it is called. */
function guarded(listener: (violation: OrderViolation) => void): (violation: OrderViolation) => void {
  return (violation) => {
    try {
      listener(violation);
    } catch (failure) {
      queueMicrotask(() => {
        throw failure;
      });
    }
  };
}

/** The key of the environment data. */
const HANDED = '@sluice/inspect lock order';

let own: OrderTable | undefined;

/** Returns the table of the thread that started this one, or creates one for the threads that this one starts. */
function inheritedTable(): OrderTable {
  if (own !== undefined) return new OrderTable(own.memory);
  const handed = environmentData(HANDED);
  own = isSharedBuffer(handed) && OrderTable.is(handed) ? new OrderTable(handed) : new OrderTable();
  setEnvironmentData(HANDED, own.memory);
  return own;
}
