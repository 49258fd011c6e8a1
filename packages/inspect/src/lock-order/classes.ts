// The classes of locks. Locks of one class are acquired in one order with respect to the other classes.
//
// A lock with a name belongs to the class of its arena, kind and name. A lock without one belongs to the class of the
// place that created it, which the creating thread writes into the table. If that thread did not check the order then,
// the lock is a class of its own.

import { BLOCK_KIND, CAPACITY, FLAG_OWNED, FLAGS, KIND_SEMAPHORE } from '@sluice/core/format';
import { tagAt, type BlockRef } from '@sluice/core/internal';
import { kindOf } from '@sluice/core/report';
import { callers, placeText } from '../observe/call-place.ts';
import type { HoldMode, UsedPrimitive } from '../observe/used-primitive.ts';
import { nameOf } from '../report/wording.ts';
import type { ClassId } from './order-graph.ts';
import { hashOf, type SharedTable } from '../tables/shared-table.ts';

/** The number of calls of each class whose stacks are kept: at first, and again each time that a place was missing. */
const STACKS = 64;

export class LockClass {
  readonly id: ClassId;
  /** The same in all threads: the id of the arena, and the label. */
  readonly key: string;
  /** The name given to `create`, or ''. */
  readonly name: string;
  /** The number of calls whose stacks are still to be kept. */
  #stacks = STACKS;
  /** Its locks, and the readers of its read-write locks. */
  readonly #subjects: Subject[] = [];

  constructor(id: ClassId, key: string, name: string) {
    this.id = id;
    this.key = key;
    this.name = name;
  }

  /** How reports name it. */
  get label(): string {
    return labelOf(this.key);
  }

  addSubject(subject: Subject): void {
    this.#subjects.push(subject);
  }

  /** Whether the stack of this call is to be kept. Counts it. */
  takeStack(): boolean {
    if (this.#stacks === 0) return false;
    this.#stacks -= 1;
    if (this.#stacks === 0) this.#setQuick();
    return true;
  }

  /** Keeps the stacks of the next calls, because one was missing. */
  keepStacks(): void {
    this.#stacks = STACKS;
    this.#setQuick();
  }

  #setQuick(): void {
    for (const subject of this.#subjects) subject.setQuick(this.#stacks === 0);
  }
}

/** Returns what reports say for the key of a class. */
export function labelOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

/**
 * A chain of subjects that this thread has held, each acquired while those before it were held. Once all edges of a
 * chain are known, the chain is not checked again.
 */
export class Chain {
  readonly #next = new Map<Subject, Chain>();
  // What was found last: most programs ask for the same class again.
  #subject: Subject | undefined = undefined;
  #found: Chain | undefined = undefined;

  /** Returns the chain that goes on with that subject, if it was seen. */
  after(subject: Subject): Chain | undefined {
    if (this.#subject === subject) return this.#found;
    const found = this.#next.get(subject);
    if (found === undefined) return undefined;
    this.#subject = subject;
    this.#found = found;
    return found;
  }

  /** Notes a chain that goes on with that subject. */
  add(subject: Subject): void {
    this.#next.set(subject, new Chain());
  }
}

/** The locks of a class, acquired or held in one mode. */
export class Subject {
  /** The classes to which `class` belongs. */
  readonly of: Classes;
  readonly class: LockClass;
  readonly mode: HoldMode;
  /** Whether it is a semaphore. Only a release by the acquiring thread shows that a permit was used as a lock. */
  readonly isSemaphore: boolean;
  /** Whether waits for it can be part of a cycle. */
  isChecked: boolean;
  /** `of`, if a blocking call of a thread that holds nothing has only to record its hold. */
  quickIn: Classes | undefined = undefined;
  /** The chain in which it is held alone. */
  readonly alone = new Chain();
  /** The subjects that were requested while this one was held, and need no further check. */
  readonly known = new Set<Subject>();

  constructor(of: Classes, own: LockClass, mode: HoldMode, isSemaphore: boolean, isChecked: boolean) {
    this.of = of;
    this.class = own;
    this.mode = mode;
    this.isSemaphore = isSemaphore;
    this.isChecked = isChecked;
    own.addSubject(this);
  }

  setQuick(isQuick: boolean): void {
    // An upgrade is asked for as one subject, and held as another.
    const canBeQuick = this.isChecked && !this.isSemaphore && this.mode !== 'upgrade';
    this.quickIn = isQuick && canBeQuick ? this.of : undefined;
  }
}

/** Returns the place of the program that creates a lock now, or ''. */
function creationPlace(instance: object): string {
  const [place] = callers(instance, true);
  return place === undefined || place.file === '' ? '' : placeText(place, true);
}

interface ClassEntry {
  readonly t: 'class';
  readonly key: string;
}

export class Classes {
  readonly #table: SharedTable;
  readonly #byKey = new Map<string, LockClass>();
  readonly #subjects = new Map<string, Subject>();
  /** The numbers of the entries of classes that this thread has written, by their keys. */
  readonly #written = new Map<string, number>();
  readonly #opened = new WeakSet<BlockRef>();

  constructor(table: SharedTable) {
    this.#table = table;
  }

  /** Returns the class with that key. */
  withKey(key: string, name = ''): LockClass {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const created = new LockClass(this.#byKey.size, key, name);
    this.#byKey.set(key, created);
    return created;
  }

  /** Notes where a lock without a name was created, if this thread has just created it. */
  opened(at: BlockRef, instance: object): void {
    const { isNew = false, name = '', context, arena, address, tag } = at;
    // The locks of the keys of a table lie where the table lies.
    if (!isNew || name !== '' || this.#opened.has(at)) return;
    this.#opened.add(at);
    const place = creationPlace(instance);
    if (place === '') return;
    const key = `${arena.id} ${kindOf(context, address)} created at ${place}`;
    const entry = this.#written.get(key) ?? this.#table.append({ t: 'class', key } satisfies ClassEntry);
    this.#written.set(key, entry);
    if (entry >= 0) this.#table.setClass(hashOf(arena.id), address, tag, entry);
  }

  /** Returns the subject of a primitive. It stays the same for as long as the primitive exists. */
  subjectOf(primitive: UsedPrimitive): Subject {
    const { context, address, side, mode } = primitive;
    const own = this.#classOf(primitive);
    const { words } = context;
    const isSemaphore = !primitive.isOwned && side === '' && (words.get32(address + FLAGS) & FLAG_OWNED) === 0;
    // A semaphore with several permits is no lock: any agent that holds a permit can end a wait for one.
    const isBinary =
      words.load32(address + BLOCK_KIND) === KIND_SEMAPHORE && Number(words.load64(address + CAPACITY)) === 1;
    const isChecked = address !== 0 && (!isSemaphore || isBinary);
    const key = `${own.id}/${side}/${mode}/${isChecked}`;
    const known = this.#subjects.get(key);
    if (known !== undefined) return known;
    const subject = new Subject(this, own, mode, isSemaphore, isChecked);
    this.#subjects.set(key, subject);
    return subject;
  }

  #classOf({ context, arena, kind, name, address }: UsedPrimitive): LockClass {
    // Of the lines of a read-write lock, each has a tag of its own.
    const tag = tagAt(context.words, address);
    if (name !== '') return this.withKey(`${arena} ${nameOf({ kind, name, address })}`, name);
    const number = this.#table.classOf(hashOf(arena), address, tag);
    const entry = number < 0 ? undefined : (this.#table.entry(number) as Partial<ClassEntry> | undefined);
    return this.withKey(entry?.key ?? `${arena} ${nameOf({ kind, name, address })} (${tag})`);
  }
}
