// A mutex's own words, in the line of its bouncer and in the elements of its waiters.

import { TO } from '@sluice/core/kernel';

/** How often its owner relocked a recursive mutex. In the place of RELEASED_FOR_OTHERS: no agent releases a bouncer's permits for others. */
export const DEPTH: i32 = 32;
/** The element of the successor that asked to be woken. */
export const SUCCESSOR_AT: i32 = 36;

/** In FLAGS: a mutex with the order 'turns'. Otherwise each contended unlock hands over. */
export const FLAG_TURNS: i32 = 1024;

/** In the high half of OFFICE: a successor waits for the end of the turn, and the next unlock hands over to it. */
export const DUE: i32 = 16;

/** In an element: 1: its waiter is the successor and has found the mutex owned. No chain and no walker has the element. */
export const SUCCEEDS: i32 = TO;
/** In an element: since when, in µs on its agent's own clock, wrapping; 0: not known. */
export const SUCCEEDS_SINCE: i32 = 28;

/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;
