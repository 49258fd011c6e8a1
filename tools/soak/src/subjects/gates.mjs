// @ts-check
// Capacitors without a lock behind them, and the turnstile.
import { Capacitor, LanedCapacitor, SemaphoreCapacitor, Turnstile } from '@sluice/capacitor';
import { Semaphore } from '@sluice/core';
import { checksOf, unless, visitorOf } from './subject.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { Subject } from './subject.mjs' */

const NO_WAIT = { timeout: 60_000 };

/** @typedef {Capacitor | LanedCapacitor | SemaphoreCapacitor | Turnstile} AnyGate */

/** @param {string} name @param {AnyGate} gate */
async function gateProblems(name, gate) {
  // At rest an arrival enters.
  await gate.arriveAsync(NO_WAIT);
  gate.depart();
  const report = gate.inspect();
  const lines = report.kind === 'laned-capacitor' ? report.lanes : [report];
  const waiters = lines.flatMap((line) => line.waiters);
  const inside = report.kind === 'turnstile' ? [] : report.inside;
  const agentInside = report.kind === 'turnstile' ? report.agentInside : 0;
  return unless(name, { waiters, inside, agentInside }, { waiters: [], inside: [], agentInside: 0 });
}

/**
 * A gate as the main thread made it.
 * @typedef {{ gate: AnyGate, handles: unknown, free: () => void }} MadeGate
 */

/** @param {AnyGate} gate @returns {MadeGate} */
const alone = (gate) => ({ gate, handles: gate.handle, free: () => gate.free() });

/** @param {{ arena: Arena, name: string }} options @returns {MadeGate} */
function overSemaphore(options) {
  const semaphore = Semaphore.create(2, options);
  const gate = SemaphoreCapacitor.create(semaphore, { name: options.name });
  return {
    gate,
    handles: [gate.handle, semaphore.handle],
    free: () => {
      gate.free();
      semaphore.free();
    },
  };
}

/**
 * @param {string} name
 * @param {string} exported
 * @param {number} limit
 * @param {(options: { arena: Arena, name: string }) => MadeGate} create
 * @param {(handles: never) => AnyGate} from
 * @param {number} [blocks]
 * @returns {Subject}
 */
function gate(name, exported, limit, create, from, blocks = 1) {
  return {
    name,
    group: 'capacitor',
    covers: [exported],
    blocks,
    create: (arena) => {
      const { gate, handles, free } = create({ arena, name });
      return { handles, problems: () => gateProblems(name, gate), free };
    },
    open: (handles, place) => {
      const opened = from(/** @type {never} */ (handles));
      return visitorOf(
        {
          enter: () => opened.arrive(),
          tryEnter: (_, timeoutMs) => opened.tryArrive(timeoutMs),
          enterAsync: (_, options) => opened.arriveAsync(options),
          leave: () => opened.depart(),
          most: 1,
          // A turnstile lets one thread in, which may be inside several times.
          ...checksOf(place, limit, exported === 'Turnstile'),
        },
        place,
      );
    },
  };
}

/** @type {readonly Subject[]} */
export const GATES = [
  gate(
    'Capacitor',
    'Capacitor',
    2,
    (o) => alone(Capacitor.create({ ...o, bypassLimit: 2 })),
    (h) => Capacitor.from(h),
  ),
  gate(
    'LanedCapacitor',
    'LanedCapacitor',
    4,
    (o) => alone(LanedCapacitor.create({ ...o, bypassLimit: 4, lanes: 2 })),
    (h) => LanedCapacitor.from(h),
  ),
  gate(
    'SemaphoreCapacitor',
    'SemaphoreCapacitor',
    2,
    overSemaphore,
    (handles) => {
      const [capacitor, semaphore] = /** @type {[never, never]} */ (/** @type {unknown} */ (handles));
      return SemaphoreCapacitor.from(capacitor, Semaphore.from(semaphore));
    },
    2,
  ),
  gate(
    'Turnstile',
    'Turnstile',
    1,
    (o) => alone(Turnstile.create(o)),
    (h) => Turnstile.from(h),
  ),
];
