// @ts-check
import { choose } from '../lib/choose.mjs';

/**
 * One curve of semabench.
 * @typedef {object} Subject
 * @property {string} key what the command line and the figures call it
 * @property {string} title
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options] with a member: one of the family; without and
 *   not `native`: core's
 * @property {import('../lib/native.mjs').NativeLock} [native]
 * @property {boolean} [unordered] an arriving thread may overtake waiters
 * @property {boolean} [spins] for as long as it waits: with many more threads than cores a round takes seconds
 */

export const core = 'core';

/** @type {readonly Subject[]} */
export const subjects = [
  { key: core, title: 'Semaphore (core)' },
  {
    key: 'core/parking',
    title: 'Semaphore (core), never spins',
    options: { policy: { spinMicros: 0, longTermThreshold: 0 } },
  },
  { key: 'ticket', title: 'TicketSemaphore', options: { member: { name: 'TicketSemaphore' } } },
  { key: 'array', title: 'WaitingArraySemaphore', options: { member: { name: 'WaitingArraySemaphore' } } },
  {
    key: 'array/conservative',
    title: 'WaitingArraySemaphore, conservative',
    options: { member: { name: 'WaitingArraySemaphore', conservative: true } },
  },
  { key: 'chain', title: 'ChainSemaphore', options: { member: { name: 'ChainSemaphore' } } },
  { key: 'monitor', title: 'MonitorSemaphore', options: { member: { name: 'MonitorSemaphore' } } },
  { key: 'location', title: 'LocationSemaphore', options: { member: { name: 'LocationSemaphore' } } },
  { key: 'address', title: 'AddressSemaphore', options: { member: { name: 'AddressSemaphore' } }, unordered: true },
  {
    key: 'lightweight',
    title: 'LightweightSemaphore',
    options: { member: { name: 'LightweightSemaphore' } },
    unordered: true,
  },
  {
    key: 'multilane',
    title: 'MultilaneSemaphore',
    options: { member: { name: 'MultilaneSemaphore' } },
    unordered: true,
  },
  { key: 'cpp-ticket', title: 'C++ Listing 1, spinning', native: 'ticket-spin', spins: true },
  {
    key: 'cpp-ticket/proportional',
    title: 'C++ Listing 1, spinning, delay by distance',
    native: 'ticket-proportional',
    spins: true,
  },
  { key: 'cpp-ticket/futex', title: 'C++ Listing 1, futex', native: 'ticket-futex' },
  { key: 'cpp-array', title: 'C++ Listing 2, spinning', native: 'array-spin', spins: true },
  { key: 'cpp-array/futex', title: 'C++ Listing 2, futex', native: 'array-futex' },
  { key: 'cpp-chain', title: "C++ Listing 3, core's policy", native: 'twa' },
  { key: 'cpp-chain/futex', title: 'C++ Listing 3, futex', native: 'twa-futex' },
  { key: 'cpp-listing-3', title: 'C++ Listing 3 as printed, spinning', native: 'chain-spin', spins: true },
  { key: 'cpp-listing-3/futex', title: 'C++ Listing 3 as printed, futex', native: 'chain-futex' },
  { key: 'cpp-monitor', title: 'C++ Listing 4, spinning', native: 'monitor-spin', spins: true },
  { key: 'cpp-monitor/futex', title: 'C++ Listing 4, futex', native: 'monitor-futex' },
  { key: 'cpp-location', title: 'C++ Listing 5, spinning', native: 'location-spin', spins: true },
  { key: 'cpp-location/futex', title: 'C++ Listing 5, futex', native: 'location-futex' },
  { key: 'cpp-pthread', title: 'C++ sem_t', native: 'posix', unordered: true },
];

/** A star for subjects without an order. @param {Subject} subject */
export const nameOf = ({ title, unordered }) => (unordered ? `${title} *` : title);

export const keys = subjects.map(({ key }) => key);

/** What runs it, in JavaScript. @param {Subject} subject */
export function jobOf({ options }) {
  const subject = /** @type {import('../jobs/semabench.mjs').SemaphoreSubject} */ (
    options?.member ? 'member' : 'sluice'
  );
  return { subject, ...(options && { options }) };
}

/** @param {string[] | undefined} patterns */
export const chooseSubjects = (patterns) => choose('semabench', subjects, patterns);

/**
 * The subjects that can be measured at a point: C++ does not await, and a spinning subject needs a core now and then.
 * @param {readonly Subject[]} chosen
 * @param {{ mixed: boolean, workers: number }} point
 * @param {number} cores
 */
export function fitting(chosen, { mixed, workers }, cores) {
  return chosen.filter(({ native, spins }) => (native === undefined || !mixed) && (!spins || workers <= 8 * cores));
}
