// The semaphores that can be the gate of a capacitor, with both engines.

import { Semaphore, type Arena } from '@sluice/core';
import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
} from '../../../classics/src/index.ts';
import '../../../classics/test/semaphores/support/kinds.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../semaphores/src/index.ts';
import type { GateSemaphore } from '../../src/index.ts';
import './kinds.ts';

/** The members of a class of semaphores that the tests use. */
interface SemaphoreClass {
  create(permits: number, options: { readonly arena: Arena; readonly recovery?: boolean }): GateSemaphore;
  from(handle: never): GateSemaphore;
}

const FAMILY: Readonly<Record<string, SemaphoreClass>> = {
  Semaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
  ChainSemaphore,
  MonitorSemaphore,
  LocationSemaphore,
  AddressSemaphore,
  LightweightSemaphore,
  MultilaneSemaphore,
  PrioritySemaphore,
  ResizableSemaphore,
};
export const ROWS = Object.entries(FAMILY).flatMap(([name, Class]) =>
  (['wasm', 'js'] as const).map((engine) => ({ name, Class, engine })),
);
