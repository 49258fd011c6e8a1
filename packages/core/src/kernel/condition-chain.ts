// Waiting on a condition by key, after Dice & Kogan, Listings 3 to 5. A key maps to a bucket of the waiting array. An
// agent that changes a condition signals its key. A woken waiter must check its condition again.
//
//   word       value                                                            written by
//   CHAIN      newest of the waiters, each above the one before; 0 = none       pushOntoChain, leaveChain: CAS; flush:
//                                                                               exchange
//   SLOT       the same for waiters at a location (Listing 5)                   as CHAIN
//   SEQUENCE   how often the key was signalled (Listing 4)                      signalKey: add
//   UPDATES    as SEQUENCE, in 32 bits: a word to sleep on (Listing 2)          update: add
//   SLEEPERS   agents that sleep on UPDATES, or on a word whose key leads here  sleepOn, wakeUp: add
//
//   gate of an element
//   FREE ▶ WATCHING                  [pushOntoChain]
//   WATCHING ▶ SLEEPING              [sleepOnGate]   goes to sleep
//   WATCHING, SLEEPING ▶ WOKEN       [wakeOne]       off the chain
//   WOKEN ▶ FREE                     [moveOn]        and wakes the element below, if that was left to it
//   WATCHING, SLEEPING ▶ LEFT_CHAIN  [leaveChain]    the element is no longer its owner's
//   FREE ▶ ON_WORD ▶ FREE            [sleepOn, wakeUp]
//
// 1. An element that is WATCHING, SLEEPING or LEFT_CHAIN hangs in one chain: of a bucket, or of those that an agent has
//    to wake (AGENT_TO_WAKE).
// 2. The agent that detaches a chain wakes its first element. Each woken sleeper wakes the element below it before it
//    does anything else. So no agent walks a chain of other agents' elements. At an element that is LEFT_CHAIN, the
//    agent that came to wake it continues with the element below. At a dead agent's element, its recovery continues.
// 3. If the owner of an element is awake, or the element is an async waiter's, the agent that detached the chain
//    continues, because that owner may never do so. An agent with an async wait, or one that is checking its condition,
//    may be blocked until the agent below acts. An agent that waited at a location may never come back. NEXT is 0 then:
//    the woken agent wakes no other.
// 4. An agent that pushed an element checks its condition again before it sleeps. An agent that changes the condition
//    changes it first and detaches then. So one of the two sees the other.
//
// NO WAKE-UP IS LOST (point 4). If the waiter W did not check after the push (the mutant "a waiter does not check its
// condition again after the push"), the signaller S could miss W:
//
//   1. W checks its condition: it does not hold.
//   2. S changes the condition: it holds.
//   3. S detaches the chain of the bucket: empty. It wakes no agent.
//   4. W pushes its element and sleeps. The condition holds, and no signal follows.
//
// With the check, W finds at step 4 that its condition holds, and leaves the chain. The other side has the same need:
// if S detached before it changed the condition (the mutant "a signal detaches the chain before it increments the
// sequence"), S could detach the empty chain before W's push, and change the condition after W's last check.
//
// In the paper the push is an exchange, and only the waiter knows the element below. Here the push is a CAS, after the
// element below is recorded (NEXT). So if an agent dies at any moment, the elements below it are found. A waiter that
// finds its condition true after the push, or that cancels, leaves its element behind instead of waiting until it is
// off the chain.

import { discard, push } from './chain.ts';
import {
  AGENT_NOTIFY,
  AGENT_TO_WAKE,
  DRAWN,
  BLOCK_LINE,
  BLOCK_TAG,
  CHAIN,
  COUNT,
  GATE,
  HEADER_WATCHED,
  MODE,
  MODE_ASYNC,
  NEXT,
  LINE,
  SEQUENCE,
  SLEEPERS,
  SLOT,
  TAG,
  UP,
  UPDATES,
} from './layout.ts';
import {
  AGAIN,
  asGate,
  LEFT_CHAIN,
  SLEEPING,
  FREE,
  CANCELLED_LEFT_BEHIND,
  IDLE,
  ON_WORD,
  CANCELLED,
  RACED,
  SPENT,
  WAITING,
  NEEDS_WALK,
  WATCHING,
  WOKEN,
  type LeftLine,
  type GateState,
  type Wake,
} from './states.ts';
import {
  add32,
  add64,
  cas32,
  exchange32,
  get32,
  load32,
  put32,
  put64,
  store32,
  toNumber,
  load64,
  wide,
} from './words.ts';
import type { AgentAddress, BucketAddress, ChainAddress, ElementAddress, NotifyAddress } from './addresses.ts';
import { asChain, asElement, asLine, asNotify } from './addresses.ts';

/** Which of the bucket's two chains an element is in: its COUNT. */
const AT_LOCATION: i32 = 1;

/**
 * Whether the owner reliably wakes the element below at once. A sleeping owner does: it wakes that element before it
 * does anything else.
 */
function isAsleep(element: ElementAddress, gate: i32): boolean {
  return gate === SLEEPING && get32(element + MODE) !== MODE_ASYNC;
}

function headFor(element: ElementAddress): ChainAddress {
  return asChain(asLine(get32(element + LINE)) + (get32(element + COUNT) === AT_LOCATION ? SLOT : CHAIN));
}

/**
 * Returns how often a key was signalled. The caller then checks its condition.
 *
 * @step `sequence`, `bucketAt`
 * @takes Nothing, they read
 */
export function sequence(bucket: BucketAddress): f64 {
  noteWatched();
  return toNumber(load64(bucket + SEQUENCE));
}

/**
 * FREE to WATCHING: pushes the element onto a chain. `mode` is one of MODE_*. Returns RACED if it lost a race: call
 * again.
 *
 * @takes A place in a bucket's chain of waiters for a condition
 * @leaves `LINE`, `MODE`, `NEXT`, `GATE` WATCHING; FREE again when the push lost. `HEADER_WATCHED`
 * @death `leaveChain`; walk
 */
export function pushOntoChain(
  element: ElementAddress,
  bucket: BucketAddress,
  location: i32,
  mode: i32,
): typeof WAITING | typeof RACED {
  noteWatched();
  put32(element + LINE, bucket);
  put32(element + MODE, mode);
  put32(element + TAG, 0);
  put32(element + COUNT, location);
  store32(element + GATE, WATCHING);
  if (push(headFor(element), element)) return WAITING;
  store32(element + GATE, FREE);
  return RACED;
}

/** Written before the condition is checked. Recovery wakes waiters on conditions only if this word is set. */
function noteWatched(): void {
  if (load32(HEADER_WATCHED) === 0) store32(HEADER_WATCHED, 1);
}

/**
 * WATCHING to SLEEPING. Returns the resulting gate, or the gate found instead.
 *
 * @takes Its own wakefulness
 * @leaves `GATE` SLEEPING
 * @death `leaveChain`; walk
 */
export function sleepOnGate(element: ElementAddress): GateState {
  const gate = asGate(cas32(element + GATE, WATCHING, SLEEPING));
  return gate === WATCHING ? SLEEPING : gate;
}

/**
 * After WOKEN, gives the element back to its owner. The owner then runs the walk, which wakes the element below.
 *
 * @takes The duty to wake the element below
 * @leaves `GATE` FREE; `AGENT_TO_WAKE`: the elements below
 * @death Walk
 */
export function moveOn(agent: AgentAddress, element: ElementAddress): void {
  const below = get32(element + NEXT);
  put32(element + GATE, FREE);
  lay(agent, below);
}

/**
 * Leaves the chain, for any reason. Run the walk afterwards, which wakes the elements below if necessary. Returns
 * CANCELLED if the caller has the element again, CANCELLED_LEFT_BEHIND if it stays behind, and RACED if it lost a race:
 * call again.
 *
 * @takes Its place in the chain
 * @leaves If it is the newest: the chain's head moves to the element below, `GATE` FREE. If it is woken: as `moveOn`.
 *   Otherwise `GATE` LEFT_CHAIN, and the chain in `AGENT_TO_WAKE`
 * @death Walk. A LEFT_CHAIN element stays where it is: the agent that comes to wake it frees it
 */
export function leaveChain(agent: AgentAddress, element: ElementAddress): LeftLine {
  const head = headFor(element);
  const gate = load32(element + GATE);
  if (gate === WOKEN) {
    moveOn(agent, element);
    return CANCELLED;
  }
  // There is no ABA problem: only its owner pushes an element, so the element at the head was not pushed a second time.
  if (cas32(head, element, get32(element + NEXT)) === element) {
    put32(element + GATE, FREE);
    return CANCELLED;
  }
  if (cas32(element + GATE, gate, LEFT_CHAIN) !== gate) return RACED;
  // From here on the element no longer belongs to the caller. Without this flush, elements in LEFT_CHAIN would
  // accumulate until the next signal.
  flush(agent, head);
  return CANCELLED_LEFT_BEHIND;
}

/** Puts a detached chain on top of the chains that this agent has to wake. */
function lay(agent: AgentAddress, chain: i32): void {
  if (chain === 0) return;
  put32(chain + UP, get32(agent + AGENT_TO_WAKE));
  put32(agent + AGENT_TO_WAKE, chain);
}

function flush(agent: AgentAddress, head: i32): Wake {
  lay(agent, exchange32(head, 0));
  return get32(agent + AGENT_TO_WAKE) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Wakes the waiters of the chain. With `polite`, it does not write if no agent waits. Returns IDLE, or NEEDS_WALK: then
 * run the walk.
 *
 * @step `signalChain`, `signalKey`, `signalSlot`, `wakeAllAt`
 * @takes A bucket's chain. `signalKey` and `wakeAllAt` first add 1 to `SEQUENCE`. `wakeAllAt` takes both chains, and
 *   adds 1 to `UPDATES`
 * @leaves `AGENT_TO_WAKE`; `wakeAllAt` also leaves `AGENT_NOTIFY`, the word to notify
 * @death Walk; notified. All waiters for a condition are woken, too, because the intended signal may be missing
 */
export function signalChain(agent: AgentAddress, bucket: BucketAddress, polite: i32): Wake {
  if (polite !== 0 && load32(bucket + CHAIN) === 0) return IDLE;
  return flush(agent, bucket + CHAIN);
}

/** Counts the signal, then wakes the waiters as `signalChain` does. */
export function signalKey(agent: AgentAddress, bucket: BucketAddress, polite: i32): Wake {
  add64(bucket + SEQUENCE, wide(1));
  return signalChain(agent, bucket, polite);
}

/** Wakes the waiters at the location as `signalChain` wakes those of the chain. */
export function signalSlot(agent: AgentAddress, bucket: BucketAddress, polite: i32): Wake {
  if (polite !== 0 && load32(bucket + SLOT) === 0) return IDLE;
  return flush(agent, bucket + SLOT);
}

/** Counts an update and wakes its async waiters. Returns the word to notify, or IDLE if no agent sleeps on it. */
export function update(agent: AgentAddress, bucket: BucketAddress): typeof IDLE | NotifyAddress {
  add32(bucket + UPDATES, 1);
  lay(agent, load32(bucket + CHAIN) === 0 ? 0 : exchange32(bucket + CHAIN, 0));
  return load32(bucket + SLEEPERS) === 0 ? IDLE : wordToNotify(agent, bucket + UPDATES);
}

/**
 * Returns the address to notify for `word`. Sleepers on a word are notified as if the word were the gate of an element.
 */
export function wordToNotify(agent: AgentAddress, word: i32): NotifyAddress {
  put32(agent + AGENT_NOTIFY, word - GATE);
  return asNotify(word - GATE);
}

/** Wakes every agent that waits at the bucket in any way. Returns the same as `update`. */
export function wakeAllAt(agent: AgentAddress, bucket: BucketAddress): typeof IDLE | NotifyAddress {
  add64(bucket + SEQUENCE, wide(1));
  lay(agent, exchange32(bucket + SLOT, 0));
  return update(agent, bucket);
}

/**
 * Wakes the next of the elements that this agent has to wake. There must be one. Returns AGAIN, or the element to
 * notify.
 */
export function wakeOne(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  const element = asElement(get32(agent + AGENT_TO_WAKE));
  const gate = load32(element + GATE);
  const next = get32(element + NEXT);
  if (isAsleep(element, gate)) put32(agent + AGENT_TO_WAKE, get32(element + UP));
  else takeOne(agent, element);
  if (gate === LEFT_CHAIN) {
    discard(element);
    return AGAIN;
  }
  // After this CAS, the element belongs to its owner again.
  if (cas32(element + GATE, gate, WOKEN) !== gate) {
    put32(element + NEXT, next);
    put32(agent + AGENT_TO_WAKE, element);
    return AGAIN;
  }
  if (gate !== SLEEPING) return AGAIN;
  put32(agent + AGENT_NOTIFY, element);
  return element;
}

/** Takes one element off its chain. The elements below stay in AGENT_TO_WAKE, and only this agent can wake them. */
function takeOne(agent: AgentAddress, element: ElementAddress): void {
  const next = get32(element + NEXT);
  const up = get32(element + UP);
  if (next !== 0) put32(next + UP, up);
  put32(element + NEXT, 0);
  put32(agent + AGENT_TO_WAKE, next !== 0 ? next : up);
}

/**
 * FREE to ON_WORD: counts the agent in `sleepers` as asleep on `word`. `tag` is the tag of the line that contains
 * `sleepers`, or 0 if it is in no line.
 *
 * @step `sleepOn`, `wakeUp`
 * @takes A place among the sleepers on a word: `sleepOn` adds 1 to their count, `wakeUp` subtracts 1
 * @leaves After the addition: `GATE` ON_WORD, and `LINE`, `DRAWN`, `TAG` of the semaphore that contains the count. Before
 *   the subtraction: `GATE` FREE. If the semaphore was freed, nothing is subtracted
 * @death Removed from the count; all agents that sleep on the word are woken
 */
export function sleepOn(element: ElementAddress, sleepers: i32, word: i32, tag: i32): void {
  noteWatched();
  put32(element + LINE, sleepers);
  put32(element + TAG, tag);
  put64(element + DRAWN, wide(word));
  // Change the count before the gate: with `jsEngine` an agent may die in between. If the count is too high, it costs a
  // notify. If it is too low, a wake-up is lost.
  add32(sleepers, 1);
  store32(element + GATE, ON_WORD);
}

/** ON_WORD to FREE. */
export function wakeUp(element: ElementAddress): void {
  const sleepers = asLine(get32(element + LINE));
  const tag = get32(element + TAG);
  // Keep the gate from being FREE until the last write: until then the element protects the semaphore's memory from
  // reuse (kernel/hazard.ts).
  put32(element + GATE, SPENT);
  // A line that was freed has no count to update.
  if (tag === 0 || isThere(sleepers & -BLOCK_LINE, tag)) add32(sleepers, -1);
  store32(element + GATE, FREE);
}

/** Whether the line is open or closed, but not freed. */
function isThere(block: i32, tag: i32): boolean {
  const now = load32(block + BLOCK_TAG);
  return now === tag || now === -tag;
}
