// The classes of locks that a thread knows.
//
// A lock with a name belongs to the class of its arena, kind and name. A lock without one belongs to the class of the
// place that created it, which the creating thread writes into the table. If that thread did not check the order then,
// the lock is a class of its own.

import { BLOCK_KIND, CAPACITY, FLAG_OWNED, FLAGS, KIND_SEMAPHORE } from '@sluice/core/format';
import { tagAt, type BlockRef } from '@sluice/core/internal';
import { kindOf } from '@sluice/core/report';
import { callers, placeText } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import { nameOf } from '../report/wording.ts';
import { hashOf, type SharedTable } from '../tables/shared-table.ts';
import { LockClass } from './lock-class.ts';
import { Subject } from './subject.ts';

/** Returns the place of the program that creates a lock now, or ''. */
function creationPlace(instance: object): string {
  const [place] = callers(instance, true);
  return place === undefined || place.file === '' ? '' : placeText(place, true);
}

interface ClassEntry {
  readonly t: 'class';
  readonly key: string;
}

export class LockClasses {
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
