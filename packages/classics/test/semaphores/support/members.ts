// All members of the family, behind one interface.

import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
  type Capabilities,
  type FamilyHandle,
  type FamilyOptions,
  type SchemeName,
} from '../../../src/index.ts';
import { PrioritySemaphore, type PriorityHandle } from '../../../../semaphores/src/index.ts';

export type Member =
  | AddressSemaphore
  | ChainSemaphore
  | LightweightSemaphore
  | LocationSemaphore
  | MonitorSemaphore
  | MultilaneSemaphore
  | PrioritySemaphore
  | TicketSemaphore
  | WaitingArraySemaphore;

export type MemberHandle = FamilyHandle | PriorityHandle;

export interface MemberClass {
  readonly name: string;
  readonly capabilities: Capabilities;
  create(permits: number, options?: FamilyOptions): Member;
  from(handle: MemberHandle, options?: Pick<FamilyOptions, 'policy'>): Member;
}

export const ONE_LINE: readonly MemberClass[] = [
  TicketSemaphore,
  WaitingArraySemaphore,
  ChainSemaphore,
  MonitorSemaphore,
  LocationSemaphore,
  AddressSemaphore,
];

export const COMPOSITE = [LightweightSemaphore, MultilaneSemaphore] as const;

export const MEMBERS: readonly MemberClass[] = [...ONE_LINE, ...COMPOSITE, PrioritySemaphore];

export const INNER: readonly SchemeName[] = [
  'semaphore',
  'ticket',
  'waiting-array',
  'chain',
  'monitor',
  'location',
  'address',
];
