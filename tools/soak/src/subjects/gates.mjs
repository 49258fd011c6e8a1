// @ts-check
// Capacitors without a lock behind them, and the turnstile.
import { Capacitor, LanedCapacitor, Turnstile } from '@sluice/capacitor';
import { checksOf, unless, visitorOf } from './subject.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { Subject } from './subject.mjs' */

const NO_WAIT = { timeout: 60_000 };

/** @typedef {Capacitor | LanedCapacitor | Turnstile} AnyGate */

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
 * @param {string} name
 * @param {string} exported
 * @param {number} limit
 * @param {(options: { arena: Arena, name: string }) => AnyGate} create
 * @param {(handle: never) => AnyGate} from
 * @returns {Subject}
 */
function gate(name, exported, limit, create, from) {
  return {
    name,
    group: 'capacitor',
    covers: [exported],
    blocks: 1,
    create: (arena) => {
      const made = create({ arena, name });
      return { handles: made.handle, problems: () => gateProblems(name, made), free: () => made.free() };
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
    (o) => Capacitor.create({ ...o, bypassLimit: 2 }),
    (h) => Capacitor.from(h),
  ),
  gate(
    'LanedCapacitor',
    'LanedCapacitor',
    4,
    (o) => LanedCapacitor.create({ ...o, bypassLimit: 4, lanes: 2 }),
    (h) => LanedCapacitor.from(h),
  ),
  gate(
    'Turnstile',
    'Turnstile',
    1,
    (o) => Turnstile.create(o),
    (h) => Turnstile.from(h),
  ),
];
