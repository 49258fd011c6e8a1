// The classic locks that may stand behind a capacitor.

import type { Arena, PrimitiveHandle } from '@sluice/core';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '@sluice/classics';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import '../../../classics/test/support/kinds.ts';
import '../../../mutex/test/support/kinds.ts';

export type OwnInner = TtsLock | TicketLock | McsLock | LifoLock | ReciprocatingLock | Mutex | RecursiveMutex;

export interface InnerKind {
  readonly name: string;
  readonly fifo: boolean;
  readonly reentrant: boolean;
  create(arena: Arena): OwnInner;
  open(handle: PrimitiveHandle<string>): OwnInner;
}

interface LockClass<Handle> {
  readonly name: string;
  create(options: { readonly arena: Arena }): OwnInner & { readonly handle: Handle };
  from(handle: Handle): OwnInner;
}

function kind<Handle extends PrimitiveHandle<string>>(
  Class: LockClass<Handle>,
  fifo: boolean,
  reentrant = false,
): InnerKind {
  const { name } = Class;
  return {
    name,
    fifo,
    reentrant,
    create: (arena) => Class.create({ arena }),
    open: (handle) => Class.from(handle as Handle),
  };
}

export const TTS = kind(TtsLock, false);
export const TICKET = kind(TicketLock, true);
export const MCS = kind(McsLock, true);
export const LIFO = kind(LifoLock, false);
export const RECIPROCATING = kind(ReciprocatingLock, false);
export const MUTEX = kind(Mutex, true);
export const RECURSIVE = kind(RecursiveMutex, true, true);

export const ALL_INNER: readonly InnerKind[] = [TTS, TICKET, MCS, LIFO, RECIPROCATING, MUTEX, RECURSIVE];
