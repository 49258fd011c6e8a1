// Checks the order in which this thread acquires locks, as Linux's lockdep does: a class of locks that is asked for
// while another class is held is an edge, and a cycle of edges is an order in which threads can wait for each other.
//
// No edge is made of
// - a call that does not wait, a call with a timeout, or an async call with a signal, because its wait may end by
//   itself. The locks that such a call acquires still count as held;
// - an async call. Exception: the locks of the enclosing `runAsync`, if they are released after the lock that the call
//   acquired. Other holds of this thread may be those of tasks that go on while the call waits;
// - a semaphore with more than one permit, or whose permit is released by a thread that has not acquired it;
// - the locks that one `holdAll` or `runAll` acquires, among themselves: these calls have one order.
// A call that blocks its thread is different: no task of the thread goes on. So it makes an edge of all that the thread
// holds, whichever task holds it.

import { tagAt, type BlockRef } from '@sluice/core/internal';
import { AgentTitles, heldTogether } from '@sluice/core/report';
import { callersOfCall } from '../observe/calls.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import { IdleTool, type Body, type Manner } from '../observe/tool.ts';
import { HeldChain } from './held-chain.ts';
import { LockClasses } from './lock-classes.ts';
import type { Subject } from './subject.ts';
import { Edges, keyOfOne, type End } from './edges.ts';
import { chainOf, HeldByThread, Hold, type CallStack } from './held-locks.ts';
import type { SharedTable } from '../tables/shared-table.ts';
import { RunTasks, type RunTask } from './tasks.ts';
import { nestingOf, type OrderViolation } from './violation.ts';

/**
 * Which locks of a class may be acquired while another one of the class is held. `'any'`: all. `'never'`: none. A
 * function: those for which it returns true. It gets the keys of two locks of a keyed mutex, and '' for other locks.
 */
export type Nesting = 'any' | 'never' | ((outer: string, inner: string) => boolean);

/** The maximum number of callers that are kept for a call. */
const MOST_FRAMES = 8;
/** The maximum number of pairs of locks of one class that a thread keeps. */
const MOST_PAIRS = 4096;

/** Returned to a blocking call of a thread that holds nothing: only its hold is recorded. */
const ALONE = Object.freeze({});

/** An async call that asks for a lock. */
class AsyncAsk {
  readonly task: RunTask | undefined;
  stack: CallStack | undefined = undefined;
  /** The holds of the tasks of which the call is a part. */
  outer: Hold[] | undefined = undefined;

  constructor(task: RunTask | undefined) {
    this.task = task;
  }
}

export class OrderChecker extends IdleTool {
  readonly #table: SharedTable;
  readonly #classes: LockClasses;
  readonly #edges: Edges;
  readonly #held = new HeldByThread();
  readonly #tasks = new RunTasks();
  readonly #nesting: ReadonlyMap<string, Nesting>;
  readonly #report: (violation: OrderViolation) => void;
  readonly #pairs = new Set<string>();

  constructor(table: SharedTable, nesting: ReadonlyMap<string, Nesting>, report: (violation: OrderViolation) => void) {
    super();
    this.#table = table;
    this.#nesting = nesting;
    this.#report = report;
    this.#classes = new LockClasses(table);
    this.#edges = new Edges(table, this.#classes, report);
  }

  override opened(ref: BlockRef, instance: object): void {
    this.#classes.opened(ref, instance);
  }

  override holdAsked(primitive: UsedPrimitive, how: Manner, slot: string, isBounded: boolean): unknown {
    const isQuick = (primitive.subject as Subject | undefined)?.quickIn === this.#classes && how === 'blocking';
    // The quick path calls only small functions, which an engine inlines.
    if (isQuick && slot === '' && heldTogether === undefined)
      return this.#held.isEmpty ? ALONE : this.#askedWithin(primitive);
    return this.#asked(primitive, how, slot, isBounded);
  }

  override holdBegins(primitive: UsedPrimitive, _permits: number, slot: string, asked: unknown): void {
    // Nothing else of the thread has run since.
    if (asked === ALONE) this.#held.single = primitive;
    else this.#begins(primitive, slot, asked);
  }

  override holdEnds(primitive: UsedPrimitive, _permits: number, slot: string): void {
    const held = this.#held;
    if (held.single === primitive) held.single = undefined;
    else this.#ends(primitive, slot);
  }

  override othersReleased(primitive: UsedPrimitive): void {
    const subject = this.#subjectOf(primitive);
    if (subject.isSemaphore && subject.isChecked) this.#exclude(subject);
  }

  override runs(body: Body): Body {
    return this.#tasks.begin(body);
  }

  override runAsked(): void {
    this.#tasks.asked();
  }

  /** Forgets what the thread holds. */
  clear(): void {
    this.#held.clear();
  }

  #askedWithin(primitive: UsedPrimitive): unknown {
    return this.#held.seenAfter(primitive.subject as Subject) ?? this.#asked(primitive, 'blocking', '', false);
  }

  #asked(primitive: UsedPrimitive, how: Manner, slot: string, isBounded: boolean): unknown {
    const subject = this.#subjectOf(primitive);
    if (!subject.isChecked) return how === 'async' ? new AsyncAsk(this.#tasks.takeAsking()) : undefined;
    if (how === 'async') return this.#askedAsync(primitive, subject, slot, isBounded);
    if (how === 'blocking' && !this.#held.isEmpty) return this.#check(primitive, subject, slot);
    return stackOf(subject);
  }

  #begins(primitive: UsedPrimitive, slot: string, asked: unknown): void {
    if (asked instanceof HeldChain) {
      this.#held.pushSeen(primitive, asked);
      return;
    }
    const subject = this.#subjectOf(primitive);
    if (!subject.isChecked) return;
    const held = this.#held;
    held.settle();
    // This thread acquires the only permit while it still holds it. So another thread released it.
    if (subject.isSemaphore && held.has(primitive)) this.#exclude(subject);
    else if (asked instanceof AsyncAsk) this.#beginsAsync(primitive, subject, slot, asked);
    else {
      const { top, depth } = held;
      const hold = held.push(primitive, subject, slot, asked as CallStack | undefined);
      hold.together = heldTogether;
      hold.chain = top === undefined ? undefined : chainOf(top, depth)?.after(subject);
    }
  }

  #ends(primitive: UsedPrimitive, slot: string): void {
    const held = this.#held;
    const { top } = held;
    if (top !== undefined && top.is(primitive, slot) && top.later === undefined) {
      held.pop();
      return;
    }
    const hold = held.end(primitive, slot);
    const later = hold?.later;
    if (hold === undefined || later === undefined) return;
    hold.later = undefined;
    for (const edge of later) edge.commit();
  }

  #subjectOf(primitive: UsedPrimitive): Subject {
    const known = primitive.subject as Subject | undefined;
    // Another check of this thread has classes of its own.
    if (known !== undefined && known.of === this.#classes) return known;
    const subject = this.#classes.subjectOf(primitive);
    primitive.subject = subject;
    return subject;
  }

  #exclude(subject: Subject): void {
    subject.isChecked = false;
    subject.setQuick(false);
    this.#edges.exclude(subject.class.key);
  }

  /** A blocking call asks while the thread holds something. Returns the callers, if they are kept. */
  #check(primitive: UsedPrimitive, subject: Subject, slot: string): CallStack | undefined {
    const held = this.#held;
    held.settle();
    const { top, depth } = held;
    const chain = top === undefined || held.asyncCount !== 0 ? undefined : chainOf(top, depth);
    const seen = heldTogether === undefined ? chain?.after(subject) : undefined;
    if (seen !== undefined) return stackOf(subject);
    // The owner of a recursive lock does not wait for it.
    if (primitive.isRecursive && primitive.depth > 0) return undefined;
    let stack: CallStack | undefined;
    let isAllKnown = heldTogether === undefined;
    for (const hold of held.all()) {
      if (hold.subject.known.has(subject)) continue;
      if (this.#isNoOrder(hold, primitive, slot)) isAllKnown = false;
      else {
        stack ??= readStack();
        if (!this.#adds(hold, primitive, subject, slot, stack)) isAllKnown = false;
      }
    }
    if (isAllKnown) chain?.add(subject);
    return stack ?? stackOf(subject);
  }

  #askedAsync(primitive: UsedPrimitive, subject: Subject, slot: string, isBounded: boolean): AsyncAsk {
    const ask = new AsyncAsk(this.#tasks.takeAsking());
    ask.stack = stackOf(subject);
    if (isBounded || (primitive.isRecursive && primitive.depth > 0)) return ask;
    for (let task = this.#tasks.current; task !== undefined; task = task.outer()) {
      const { hold } = task;
      if (hold?.isOpen !== true || hold.subject.known.has(subject)) continue;
      if (this.#isNoOrder(hold, primitive, slot)) continue;
      ask.stack ??= readStack();
      (ask.outer ??= []).push(hold);
    }
    return ask;
  }

  #beginsAsync(primitive: UsedPrimitive, subject: Subject, slot: string, { task, stack, outer }: AsyncAsk): void {
    const hold = new Hold(primitive, subject, slot, stack);
    this.#held.addAsync(hold);
    if (task !== undefined) task.hold = hold;
    // A task that does not wait for the call releases its lock without regard to it.
    hold.later = outer?.map((before) => ({
      subject: before.subject,
      commit: () => {
        if (before.isOpen) this.#adds(before, primitive, subject, slot, stack ?? []);
      },
    }));
  }

  /** Whether acquiring the primitive during the hold says nothing about an order. */
  #isNoOrder(hold: Hold, primitive: UsedPrimitive, slot: string): boolean {
    const { context, address, side, tag } = hold.primitive;
    if (heldTogether !== undefined && hold.together === heldTogether) return true;
    if (context === primitive.context && address === primitive.address && hold.slot === slot) return true;
    // The agent of the hold has left the arena, or the lock was freed.
    const isThere = side !== '' || tagAt(context.words, address) === tag;
    return context.hasLeft || !isThere;
  }

  /** Adds an edge. Returns whether the edge is complete, so that the next call need not add it. */
  #adds(hold: Hold, primitive: UsedPrimitive, subject: Subject, slot: string, stack: CallStack): boolean {
    const outer = hold.subject;
    if (hold.stack === undefined) outer.class.keepStacks();
    const thread = (): string => new AgentTitles(primitive.context.words).of(primitive.context.id);
    const held: End = { key: outer.class.key, mode: outer.mode, stack: hold.stack ?? [] };
    const asked: End = { key: subject.class.key, mode: subject.mode, stack };
    if (outer.class === subject.class) return this.#nests(hold, primitive, slot, held, asked, thread);
    const add = (): void => {
      this.#edges.add(thread(), held, asked, true);
      if (held.stack.length > 0) outer.known.add(subject);
    };
    if (outer.isSemaphore) {
      // Only the release tells that this thread releases what it acquired.
      addLater(hold, subject, add);
      return false;
    }
    add();
    return held.stack.length > 0;
  }

  /** A lock is asked for while another one of its class is held. */
  #nests(hold: Hold, primitive: UsedPrimitive, slot: string, held: End, asked: End, thread: () => string): boolean {
    const nesting = this.#nesting.get(hold.subject.class.name);
    if (nesting === 'any') {
      hold.subject.known.add(primitive.subject as Subject);
      return true;
    }
    const one = keyOfOne(held.key, hold.slot, hold.primitive);
    const other = keyOfOne(asked.key, slot, primitive);
    const [outer, inner]: readonly [End, End] = [
      { ...held, key: one },
      { ...asked, key: other },
    ];
    if (nesting !== undefined) {
      const isAllowed = nesting !== 'never' && nesting(hold.slot, slot);
      if (!isAllowed && this.#table.isFirst(`nesting of ${held.key}`))
        this.#report(nestingOf(Edges.step(thread(), outer, inner)));
      return false;
    }
    const pair = `${one}\n${other}`;
    if (this.#pairs.has(pair) || this.#pairs.size >= MOST_PAIRS) return false;
    if (held.stack.length > 0) this.#pairs.add(pair);
    const add = (): void => this.#edges.add(thread(), outer, inner, this.#table.claimNested());
    if (hold.subject.isSemaphore) addLater(hold, hold.subject, add);
    else add();
    return false;
  }
}

/** Adds an edge when the hold ends. A loop within the hold adds it once. */
function addLater(hold: Hold, subject: Subject, commit: () => void): void {
  hold.later ??= [];
  if (!hold.later.some((other) => other.subject === subject)) hold.later.push({ subject, commit });
}

/** Returns the callers of this call, if they are kept. */
function stackOf(subject: Subject): CallStack | undefined {
  return subject.class.takeStack() ? readStack() : undefined;
}

function readStack(): CallStack {
  return callersOfCall().slice(0, MOST_FRAMES);
}
