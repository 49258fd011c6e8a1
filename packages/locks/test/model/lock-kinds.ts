// The five locks: what stands in the words of each, and what must hold at every moment.

import type { Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import * as layout from '../../../core/src/kernel/layout.ts';
import { ownerOf } from '../../../core/src/kernel/owner.ts';
import { HANDED } from '../../../core/src/kernel/states.ts';
import { lastOf } from '../../../core/src/kernel/queued.ts';
import { GRANTED, ORPHANED } from '../../../core/src/kernel/states.ts';
import type { Office, ShadowUser } from '../../../core/test/model/office-world.ts';
import { agentAt, elementAt, entryAt, holdsAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import type * as Entry from './entry.ts';
import type { Order } from './order.ts';

const { FLAG_BARGING, FLAG_MCS, FLAG_OWNED, FLAG_QUEUED, FLAG_RECIPROCATING, FLAG_RECOVERY } = layout;
const { GATE, HEALTH, OFFICE, OWNER } = layout;

export type LocksCore = typeof Entry;

export const LOCK = semaphoreAddress(0);
export const TAG = tagOf(0);
/** In the word OFFICE. */
const NOTICE = 1n << 32n;
const WOKEN = 1n << 34n;
const SEGMENT = 1n << 34n;
const WAITERS = 35n;

export interface LockKind {
  readonly name: string;
  readonly office: Office;
  readonly at: (core: LocksCore, place: ShadowUser['place'], policy: ShadowUser['policy']) => Entry.OwnedLock;
  /** The steps by which an agent takes it when it is free, and comes to wait. */
  readonly lock: (kernel: Kernel, agent: number) => number;
  readonly enqueueAtMutex: (kernel: Kernel, agent: number) => number;
  readonly order?: Order;
  /** Whether its waiters hang at its own words. */
  readonly queued?: boolean;
  /** Whether its owner stands in a ledger. */
  readonly recorded?: boolean;
}

const RULES: Rules = {
  gains: (step) => ['lock', 'lockTts', 'lockTicket', 'enqueueAtTts', 'enqueueAtQueuedLock', 'enqueueAtTicketLock', 'poll', 'leave'].includes(step),
  loses: (step) => ['unlock', 'unlockTts', 'passTts', 'handOverQueued', 'unlockTicket', 'passTicket'].includes(step),
  releasesForDeadOwner: (step) => step === 'releaseForDeadOwner' || step === 'restore',
};

/** One owner at the most, and it is the one that the lock says: `isOwner`. */
function checkOwner(words: Words, agents: number, isOwner: (agent: number) => boolean): string | undefined {
  const all = [...Array(agents).keys()];
  if (all.filter((agent) => words.get32(insideAt(agent)) !== 0).length > 1) return 'two agents are inside';
  const other = all.find((agent) => words.get32(holdsAt(agent)) === HOLDS && !isOwner(agent));
  return other === undefined ? undefined : `agent ${other} became the owner, and the lock does not say so`;
}

function checkWord(words: Words, agents: number): string | undefined {
  const owner = ownerOf(words.get64(LOCK + OFFICE));
  if (owner !== HANDED && (owner < 0 || owner > agents)) return `the owner is ${owner}`;
  return checkOwner(words, agents, (agent) => owner === agent + 1);
}

function checkTts(words: Words, agents: number): string | undefined {
  const office = words.get64(LOCK + OFFICE);
  const waiters = Number(office >> WAITERS);
  if (waiters < 0 || waiters > agents) return `${waiters} waiters are counted`;
  const nobodyComes = ownerOf(office) === 0 && (office & WOKEN) === 0n;
  if (nobodyComes && waiters > 0) return `the lock is free, ${waiters} wait, and nobody is woken`;
  return checkWord(words, agents);
}

function checkQueued(words: Words, agents: number): string | undefined {
  const office = words.get64(LOCK + OFFICE);
  const owner = ownerOf(office);
  if (owner === 0 && (lastOf(office) !== 0 || (office & SEGMENT) !== 0n)) return 'the lock is free, and somebody waits';
  for (let index = 0; index <= agents; index++) {
    const element = elementAt(index);
    if (words.get32(element + GATE) !== GRANTED || owner === HANDED) continue;
    return `agent ${words.get32(element + OWNER) - 1} was handed the lock, and it says ${owner}`;
  }
  return checkWord(words, agents);
}

function checkTicket(words: Words, agents: number): string | undefined {
  const owners = [...Array(agents).keys()].filter((agent) => words.get64(entryAt(agent, 0)) !== 0n);
  if (owners.length > 1) return `agents ${owners.join(' and ')} own the lock, by their ledgers`;
  return checkOwner(words, agents, (agent) => owners.includes(agent));
}

const office = (kind: number, flags: number, invariant: Office['invariant']): Office => ({
  kind,
  flags: [FLAG_OWNED | flags],
  rules: RULES,
  invariant,
  mayEndWith: (word, words) => word === NOTICE && words.load32(LOCK + HEALTH) === ORPHANED,
});

const queued = (name: string, kind: number, flags: number, at: LockKind['at'], order: Order): LockKind => ({
  name,
  office: office(kind, FLAG_QUEUED | flags, checkQueued),
  at,
  lock: (kernel, agent) => kernel.lock(LOCK, TAG, agent + 1),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtQueuedLock(LOCK, TAG, agentAt(agent), 1),
  order,
  queued: true,
});

export const TTS: LockKind = {
  name: 'tts',
  office: office(layout.KIND_TTS_LOCK, FLAG_BARGING, checkTts),
  at: (core, ...at) => core.ttsLockAt(...at),
  lock: (kernel, agent) => kernel.lockTts(LOCK, TAG, agent + 1),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtTts(LOCK, TAG, agentAt(agent), 1),
};

export const TICKET: LockKind = {
  name: 'ticket',
  office: office(layout.KIND_TICKET_LOCK, FLAG_RECOVERY, checkTicket),
  at: (core, ...at) => core.ticketLockAt(...at),
  lock: (kernel, agent) => kernel.lockTicket(LOCK, TAG, entryAt(agent, 0)),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtTicketLock(LOCK, TAG, entryAt(agent, 0), agentAt(agent), 1),
  order: 'first',
  recorded: true,
};

export const MCS = queued('mcs', layout.KIND_MCS_LOCK, FLAG_MCS, (core, ...at) => core.mcsLockAt(...at), 'first');
export const LIFO = queued('lifo', layout.KIND_LIFO_LOCK, 0, (core, ...at) => core.lifoLockAt(...at), 'last');
export const RECIPROCATING = queued(
  'reciprocating',
  layout.KIND_RECIPROCATING_LOCK,
  FLAG_RECIPROCATING,
  (core, ...at) => core.reciprocatingLockAt(...at),
  'segments',
);
