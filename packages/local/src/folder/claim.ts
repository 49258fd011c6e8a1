// Which member serves a namespace, as names of files in its folder.
//
//   name                what                                                   written by
//   EPOCH-MEMBER        the token: this member serves in this epoch. There is  claim
//                       exactly one token, and its name never comes back
//   EPOCH-MEMBER-N.log  the Nth journal of that server: a state, and the       publish, the journal
//                       steps since then
//   MEMBER.sock         the socket on which a member listens while it lives    the member
//   *.tmp               a journal that is being written                        publish
//
// 1. A claim renames the token. Of several claims of one token, one succeeds.
// 2. A server appends the record of a step to its journal, and then checks that its token is still there. Only then
//    does it answer. A successor claims the token, and then reads the journal. So if the check succeeds, the successor
//    reads the record: nothing that was answered is lost. If it fails, the server answers nothing.
// 3. A journal gets its name when its state is complete. Of all journals, the one with the highest epoch and number has
//    every step that was answered.
// 4. A server begins to answer when its own journal is complete. Then it removes the earlier ones.
// 5. No step depends on a lock that a dead process could leave, or on the age of a file. A member is dead if its socket
//    refuses connections: the kernel closes it.
//
// Each function yields before each call of the file system, so that the model can run other processes in between.

import type { Files, OpenFile } from './folder-files.ts';

export interface Token {
  readonly epoch: number;
  readonly member: string;
}

const TOKEN = /^(\d{1,15})-(\w+)$/;
const JOURNAL = /^(\d{1,15})-(\w+)-(\d{1,15})\.log$/;

export function tokenName({ epoch, member }: Token): string {
  return `${epoch}-${member}`;
}

export function journalName(token: Token, number: number): string {
  return `${tokenName(token)}-${number}.log`;
}

/** The token of a folder that no member has served yet. */
export const FIRST_TOKEN: Token = { epoch: 0, member: 'none' };

/** The present token. Undefined: the files were removed, or a claim came between two looks. */
export function* findToken(files: Files): Generator<void, Token | undefined> {
  yield;
  let newest: Token | undefined;
  for (const name of files.list()) {
    const [, epoch, member = ''] = TOKEN.exec(name) ?? [];
    if (epoch !== undefined && Number(epoch) >= (newest?.epoch ?? 0)) newest = { epoch: Number(epoch), member };
  }
  return newest;
}

/** Claims the token for a member. Returns its new token, or undefined if another member was first. */
export function* claim(files: Files, from: Token, member: string): Generator<void, Token | undefined> {
  const token = { epoch: from.epoch + 1, member };
  yield;
  return files.rename(tokenName(from), tokenName(token)) ? token : undefined;
}

interface FoundJournal {
  readonly name: string;
  readonly epoch: number;
  readonly number: number;
}

function journalsIn(files: Files): FoundJournal[] {
  const found: FoundJournal[] = [];
  for (const name of files.list()) {
    const [, epoch, , number] = JOURNAL.exec(name) ?? [];
    if (epoch !== undefined) found.push({ name, epoch: Number(epoch), number: Number(number) });
  }
  return found.sort((a, b) => a.epoch - b.epoch || a.number - b.number);
}

/** Reads the newest complete journal. Undefined: there is none. Call this after the claim. */
export function* readNewest(files: Files): Generator<void, Uint8Array | undefined> {
  for (;;) {
    yield;
    const newest = journalsIn(files).at(-1);
    if (newest === undefined) return undefined;
    yield;
    const bytes = files.read(newest.name);
    // A server that still serves may have replaced it in between.
    if (bytes !== undefined) return bytes;
  }
}

/**
 * Gives a journal with a complete state its name, and removes the earlier ones. Returns the file, to which steps are
 * appended.
 */
export function* publish(files: Files, token: Token, number: number, content: Uint8Array): Generator<void, OpenFile> {
  const name = journalName(token, number);
  const draft = `${name}.tmp`;
  yield;
  const file = files.create(draft);
  try {
    yield;
    file.writeAt(content, 0);
    yield;
    files.rename(draft, name);
  } catch (failure) {
    file.close();
    files.remove(draft);
    throw failure;
  }
  yield;
  const earlier = journalsIn(files).filter(
    (each) => each.epoch < token.epoch || (each.epoch === token.epoch && each.number < number),
  );
  for (const each of earlier) {
    yield;
    files.remove(each.name);
  }
  return file;
}

/** Whether the member still serves. Call this after the append, and before the answers. */
export function* stillServes(files: Files, token: Token): Generator<void, boolean> {
  yield;
  return files.exists(tokenName(token));
}

/** Runs a generator to its end, without pauses. */
export function run<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
