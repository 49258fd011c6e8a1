// A class of owned locks, as a parameter of the suites in this folder.

import type { Arena, OwnedLock, PrimitiveHandle, WaitingPolicy } from '../../../src/index.ts';
import type { Kind } from '../misuse-table.ts';

interface Report {
  readonly kind: string;
  readonly owner: number;
  readonly consistency: string;
  readonly waiters: readonly {
    readonly agent: number;
    readonly kind: string;
    readonly since: number;
    readonly age: number;
  }[];
  readonly abandoned: number;
}

/** The members of every owned lock with its own block. */
export interface TestedLock extends OwnedLock {
  readonly handle: PrimitiveHandle<string>;
  readonly name: string;
  readonly arena: Arena;
  readonly owned: boolean;
  inspect(): Report;
  free(): void;
}

export interface TestedLockOptions {
  readonly arena?: Arena;
  readonly name?: string;
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>>;
}

/**
 * The order in which waiters are served. `first`: as they arrived. `last`: the last arrival first. `segments`: the last
 * arrival of a segment first, and each segment before all later arrivals. `any`: no order.
 */
export type Order = 'first' | 'last' | 'segments' | 'any';

export interface OwnedLockKind<Lock extends TestedLock = TestedLock> extends Kind<Lock> {
  /** The kind in a handle. */
  readonly kindName: string;
  /** The kind in the lock's own report. */
  readonly reported: string;
  readonly order: Order;
  /** Whether the owner may lock it again. */
  readonly isReentrant: boolean;
  /**
   * Whether waiters are linked at the lock's own words. The place of a cancelled waiter then stays until its turn
   * comes.
   */
  readonly isQueued: boolean;
  create(options?: TestedLockOptions): Lock;
  from(handle: Lock['handle'], options?: Pick<TestedLockOptions, 'policy'>): Lock;
}

interface Factory<Lock extends TestedLock> {
  readonly name: string;
  create(options?: TestedLockOptions): Lock;
  from(handle: Lock['handle'], options?: Pick<TestedLockOptions, 'policy'>): Lock;
}

type Traits = Pick<OwnedLockKind, 'kindName' | 'reported'> &
  Partial<Pick<OwnedLockKind, 'order' | 'isReentrant' | 'isQueued'>>;

/** `options`: what every lock of the kind is created with. */
export function ownedLockKind<Lock extends TestedLock>(
  Class: Factory<Lock>,
  traits: Traits,
  options: object = {},
): OwnedLockKind<Lock> {
  return {
    what: Class.name,
    Class,
    order: 'first',
    isReentrant: false,
    isQueued: false,
    ...traits,
    create: (more) => Class.create(isObject(more) ? { ...options, ...more } : more),
    from: (handle, more) => Class.from(handle, more),
  };
}

/** Tests of misuse pass anything. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether the last of the waiters that arrived together is served first. */
export function servesLastFirst({ order }: Pick<OwnedLockKind, 'order'>): boolean {
  return order === 'last' || order === 'segments';
}
