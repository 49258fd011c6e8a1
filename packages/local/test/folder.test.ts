// Folders that cannot be used, files that others left, and clients that send garbage.

import { hasCode } from '@sluice/core';
import { connect, LocalError } from '@sluice/local';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { env, getuid, platform } from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { findToken, publish, run, tokenName } from '../src/folder/claim.ts';
import { stateIn, stepRecord } from '../src/folder/journal.ts';
import { frameOf, Frames, MAX_FRAME } from '../src/server/frames.ts';
import { NO_SPACE, Server, type SpaceMember } from '../src/server/server.ts';
import { MemoryFiles } from './model/memory-files.ts';
import * as protocol from './model/entry.ts';
import { failureOf } from '../../remote/test/programs/failure-of.ts';
import { makeFolder, makeOpen } from './support/spaces.ts';

const isRoot = getuid?.() === 0;
const runtime = env['XDG_RUNTIME_DIR'];

afterEach(() => {
  if (runtime === undefined) delete env['XDG_RUNTIME_DIR'];
  else env['XDG_RUNTIME_DIR'] = runtime;
});

/** The folder of the only namespace in a folder. */
function namespaceIn(folder: string): string {
  const [name = ''] = readdirSync(folder).filter((each) => /^[0-9a-f]{16}$/.test(each));
  return join(folder, name);
}

/** The socket of the member that serves. */
function servingSocket(folder: string): string {
  const [, member = ''] = readdirSync(folder)
    .map((name) => /^\d+-(\w+)$/.exec(name))
    .find((match) => match !== null) ?? ['', ''];
  return join(folder, `${member}.sock`);
}

describe('connect', () => {
  test.each([
    ['no namespace', {}, TypeError],
    ['an empty namespace', { namespace: '' }, RangeError],
    ['a short lease', { namespace: 'x', lease: 1 }, RangeError],
    ['a path that is no text', { namespace: 'x', path: 1 }, TypeError],
    ['an empty path', { namespace: 'x', path: '' }, TypeError],
    ['an unknown option', { namespace: 'x', patience: 1 }, TypeError],
    ['a name that is no text', { namespace: 'x', name: 1 }, TypeError],
  ])('refuses %s', async (_what, options, kind) => {
    expect(await failureOf(connect(options as never))).toBeInstanceOf(kind);
  });

  test('refuses a path that is too long for a socket', async () => {
    const failure = await failureOf(connect({ namespace: 'x', path: `/tmp/${'long'.repeat(40)}` }));
    expect(failure).toBeInstanceOf(RangeError);
    expect(failure.message).toContain('too long a path');
  });

  test('refuses a folder that does not exist, and names it', async () => {
    const folder = join(makeFolder(), 'none');
    const failure = await failureOf(connect({ namespace: 'x', path: folder }));
    expect(hasCode(failure, 'SLUICE_LOCAL')).toBe(true);
    expect(failure.message).toContain(folder);
  });

  test.skipIf(isRoot || platform === 'win32')('refuses a folder without the right to write', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o500);
    expect(hasCode(await failureOf(connect({ namespace: 'x', path: folder })), 'SLUICE_LOCAL')).toBe(true);
    chmodSync(folder, 0o700);
    await makeOpen(folder)();
  });

  test.skipIf(platform === 'win32')(
    'makes its folder for this user alone, and refuses one that others may enter',
    async () => {
      const folder = makeFolder();
      env['XDG_RUNTIME_DIR'] = folder;
      const space = await connect({ namespace: 'x' });
      expect(statSync(join(folder, 'sluice')).mode & 0o777).toBe(0o700);
      const files = namespaceIn(join(folder, 'sluice'));
      for (const name of readdirSync(files).filter((each) => !each.endsWith('.sock')))
        expect(statSync(join(files, name)).mode & 0o077).toBe(0);
      await space.close();
      chmodSync(join(folder, 'sluice'), 0o755);
      const failure = await failureOf(connect({ namespace: 'x' }));
      expect(failure).toBeInstanceOf(LocalError);
      expect(failure.message).toContain('mode 755');
    },
  );

  test.skipIf(platform === 'win32')('refuses a link in place of its folder', async () => {
    const folder = makeFolder();
    const elsewhere = makeFolder();
    mkdirSync(join(elsewhere, 'target'), { mode: 0o700 });
    symlinkSync(join(elsewhere, 'target'), join(folder, 'sluice'));
    env['XDG_RUNTIME_DIR'] = folder;
    expect(hasCode(await failureOf(connect({ namespace: 'x' })), 'SLUICE_LOCAL')).toBe(true);
  });
});

describe('files that others left', () => {
  test('the socket, the token and the journal of a dead process do not hinder', async () => {
    const folder = makeFolder();
    const first = await makeOpen(folder)();
    const files = namespaceIn(folder);
    await first.close();
    const stale = createServer().listen(join(files, 'dead.sock'));
    await once(stale, 'listening');
    // As a killed process leaves it: a file on which no process listens.
    symlinkSync('dead.sock', join(files, 'link.sock'));
    stale.close();
    await once(stale, 'close');
    writeFileSync(join(files, 'dead.sock'), '');
    const token = run(findToken(new MemoryFiles(...readdirSync(files))));
    expect(token?.epoch).toBe(1);
    const mutex = (await makeOpen(folder)()).mutex('m');
    await mutex.lockAsync();
    await mutex.unlock();
  });

  test('another version of the data is refused while a process of it lives, and given up afterwards', async () => {
    const folder = makeFolder();
    await (await makeOpen(folder)()).close();
    const files = namespaceIn(folder);
    for (const name of readdirSync(files)) if (name.endsWith('.log')) writeFileSync(join(files, name), '["0"]\n{}\n');
    const other = createServer((socket) => socket.destroy()).listen(join(files, 'other.sock'));
    await once(other, 'listening');
    const failure = await failureOf(makeOpen(folder)());
    expect(hasCode(failure, 'SLUICE_LOCAL')).toBe(true);
    expect(failure.message).toContain('another version');
    other.close();
    await once(other, 'close');
    await (await makeOpen(folder)()).mutex('m').lockAsync();
  });

  test('a folder that is removed costs what was held, and the next call begins anew', async () => {
    const folder = makeFolder();
    const space = await makeOpen(folder)();
    const guard = await space.mutex('m').holdAsync();
    const { rmSync } = await import('node:fs');
    rmSync(namespaceIn(folder), { recursive: true });
    await space.mutex('other').lockAsync();
    expect(guard.held).toBe(false);
    const again = await space.mutex('m').holdAsync();
    expect(again.fencingToken).toBeGreaterThan(guard.fencingToken);
    expect(existsSync(namespaceIn(folder))).toBe(true);
  });
});

describe('a client that sends garbage', () => {
  async function connectTo(
    folder: string,
  ): Promise<{ readonly socket: Socket; readonly messages: unknown[][]; readonly closed: Promise<unknown> }> {
    const socket = createConnection({ path: servingSocket(namespaceIn(folder)) });
    const frames = new Frames();
    const messages: unknown[][] = [];
    socket.on('data', (chunk: Buffer) => messages.push(...frames.take(chunk)));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    return { socket, messages, closed };
  }

  const long = Buffer.alloc(8);
  long.writeUInt32BE(MAX_FRAME + 1);

  test.each([
    ['no JSON', Buffer.from([0, 0, 0, 2, 123, 123])],
    ['a message that is no list', Buffer.from([0, 0, 0, 2, 123, 125])],
    ['a message that is too long', long],
    ['no greeting', frameOf([1, 'look', 's', 1, 'm:m'])],
    ['a greeting without a name', frameOf(['hello', '1', { name: 1 }])],
    ['a greeting of another version', frameOf(['hello', '999', 'member'])],
    ['calls without numbers', Buffer.concat([frameOf(['hello', '1', 'member']), frameOf([{}, 'look'])])],
  ])('%s ends its connection, and no other', async (_what, bytes) => {
    const folder = makeFolder();
    const space = await makeOpen(folder)();
    const guard = await space.mutex('m').holdAsync();
    const { socket, closed } = await connectTo(folder);
    socket.write(bytes);
    await closed;
    expect(guard.held).toBe(true);
    await guard.release();
    expect(await space.mutex('m').tryLock()).toBe(true);
  });

  test('steps of a wrong shape are refused one by one, and change nothing', async () => {
    const folder = makeFolder();
    const space = await makeOpen(folder)();
    const guard = await space.mutex('m').holdAsync();
    const { socket, messages } = await connectTo(folder);
    const steps: unknown[][] = [
      [],
      ['attach'],
      ['nothing', 'session', 1],
      ['toString', 'session', 1],
      ['attach', 'session', 1, 'long', 'label', '1'],
      ['attach', '../session', 1, 1000, 'label', '1'],
      ['attach', 'session', -1, 1000, 'label', '1'],
      ['acquire', 'session', 1, 'm:m', 1, -1, 1, 1, '0 0 0 0'],
      ['acquire', 'session', 1, 'm:m', 1, 1.5, 1, 1, '0 0 0 0'],
      ['acquire', 'session', 1, 'm:m', 1, 1, 1, 1, '0 0 0'],
      ['acquire', 'session', 1, 'b:b', 1, 1, 1, 1, '0 0 0 0'],
      ['acquire', 'session', 1, ['m:m'], 1, 1, 1, 1, '0 0 0 0'],
      ['change', 'session', 1, 'd:latch', 1, '__proto__', 1, 0, 2, 'count'],
      ['beat', 'session', 1, 1000, 'm:m', 1, 1],
      Array.from({ length: 5000 }, () => 'word'),
    ];
    socket.write(
      Buffer.concat([frameOf(['hello', '1', 'member']), ...steps.map((step, i) => frameOf([i + 1, ...step]))]),
    );
    while (messages.length < steps.length + 1) await new Promise((resolve) => setImmediate(resolve));
    expect(messages[0]?.[0]).toBe('welcome');
    for (const [i, [number, words, why]] of messages.slice(1).entries()) {
      expect([number, words]).toEqual([i + 1, null]);
      expect(why).toContain('The call was refused');
    }
    expect((await space.mutex('m').inspect()).holders).toHaveLength(1);
    await guard.release();
  });

  test('a step for the session of another process is answered as for a session that is gone', async () => {
    const folder = makeFolder();
    const space = await makeOpen(folder)();
    const guard = await space.mutex('m').holdAsync();
    const [holder] = (await space.mutex('m').inspect()).holders;
    const { socket, messages } = await connectTo(folder);
    socket.write(Buffer.concat([frameOf(['hello', '1', 'member']), frameOf([1, 'detach', holder?.session, 99])]));
    while (messages.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(messages[1]).toEqual([1, 'gone']);
    expect(guard.held).toBe(true);
    expect((await space.mutex('m').inspect()).holders).toHaveLength(1);
  });

  test('a hello in several pieces, and several calls in one piece, are read', () => {
    const frames = new Frames();
    const bytes = Buffer.concat([frameOf(['hello', '1', 'member']), frameOf([1, 'a']), frameOf([2, 'ä'])]);
    const read: unknown[][] = [];
    for (const byte of bytes) read.push(...frames.take(Buffer.from([byte])));
    expect(read).toEqual([
      ['hello', '1', 'member'],
      [1, 'a'],
      [2, 'ä'],
    ]);
    expect(new Frames().take(bytes)).toEqual(read);
  });
});

describe('a device without space', () => {
  class Recorder implements SpaceMember {
    readonly owner: string;
    readonly answers: (readonly string[] | string)[] = [];

    constructor(owner: string) {
      this.owner = owner;
    }

    answer(_call: number, words: readonly string[] | undefined, error: string): void {
      this.answers.push(words ?? error);
    }

    tell(): void {
      // No message is expected.
    }
  }

  function begin(files: MemoryFiles, epoch: number): Server {
    const token = { epoch, member: `m${epoch}` };
    files.rename(tokenName({ epoch: epoch - 1, member: epoch === 1 ? 'none' : `m${epoch - 1}` }), tokenName(token));
    return run(
      Server.begin({ files, token, micros: () => 1e15 + epoch, watch: () => () => undefined, onEnd: () => undefined }),
    );
  }

  test('calls that take something are refused, what is held stays and can be given back, and nothing is lost', () => {
    const files = new MemoryFiles(tokenName(protocol.FIRST_TOKEN));
    const server = begin(files, 1);
    const member = new Recorder('member');
    run(server.join(member));
    const send = (...words: unknown[]): readonly string[] | string => {
      run(server.handle([{ member, number: 1, words }]));
      return member.answers.at(-1) ?? 'no answer';
    };
    send('attach', 's', 1, 10_000, 'x'.repeat(9000), '1');
    expect(send('acquire', 's', 1, 'm:m', 1, 1, 1, 1, '0 0 0 0')[0]).toBe('granted');
    files.space = 0;
    // A name of 60,000 letters fills the reserved space soon.
    let seq = 1;
    for (const length of [60_000, 1]) {
      const take = (): readonly string[] | string =>
        send('acquire', 's', 1, `s:${'x'.repeat(length)}`, ++seq, 1, 0, 1, '0 0 0 0');
      while (take() !== NO_SPACE);
    }
    for (let i = 0; i < 50; i++) expect(send('beat', 's', 1, 10_000, 'm:m', 1, 1, 1)[0]).toBe('alive');
    expect(send('acquire', 's', 1, 'm:other', seq + 1, 1, 1, 1, '0 0 0 0')).toBe(NO_SPACE);
    expect(send('release', 's', 1, 'm:m', 1, 0)).toEqual(['released']);
    // The next server knows all of that, and has space again.
    server.end();
    files.space = Infinity;
    const next = begin(files, 2);
    const again = new Recorder('member');
    run(next.join(again));
    run(next.handle([{ member: again, number: 1, words: ['look', 's', 1, 'm:m'] }]));
    expect(again.answers[0]?.slice(0, 6)).toEqual(['looked', '1', '1', '0', '0', '0']);
  });

  test('a candidate that cannot write its journal does not serve', () => {
    const files = new MemoryFiles(tokenName(protocol.FIRST_TOKEN));
    files.space = 1000;
    expect(() => begin(files, 1)).toThrow('no space left');
    expect(files.list()).toEqual(['1-m1']);
  });

  test('a long journal is written anew, with the same state', () => {
    const files = new MemoryFiles(tokenName(protocol.FIRST_TOKEN));
    const server = begin(files, 1);
    const member = new Recorder('member');
    run(server.join(member));
    const send = (...words: unknown[]): void => run(server.handle([{ member, number: 1, words }]));
    send('attach', 's', 1, 10_000, 'label', '1');
    for (let i = 1; i <= 60; i++) {
      const name = `s:${'x'.repeat(60_000)}${i % 2}`;
      send('acquire', 's', 1, name, i, 1, 0, 1, '0 0 0 0');
      send('release', 's', 1, name, i, 0);
    }
    const [log = ''] = files.list().filter((name) => name.endsWith('.log'));
    expect(log).toMatch(/^1-m1-[1-9]\d*\.log$/);
    const state = stateIn(files.read(log) ?? new Uint8Array());
    expect([...state.lines.values()].map(({ free }) => free)).toEqual([1, 1]);
    expect(state.token).toBeGreaterThan(1e15);
  });

  test('an incomplete record at the end of a journal is left out', () => {
    const files = new MemoryFiles('1-m1');
    const server = begin(new MemoryFiles(tokenName(protocol.FIRST_TOKEN)), 1);
    server.end();
    const text = `["1"]\n{"real":-1,"log":0,"cap":1000,"first":0,"token":7,"sessions":{"$map":[]},"lines":{"$map":[]},"rounds":{"$map":[]}}\n`;
    const record = stepRecord(1e15, 'member', ['attach', 's', 1, 1000, 'label', '1']);
    const bytes = (end: string): Uint8Array => new TextEncoder().encode(`${text}${record}${end}`);
    run(publish(files, { epoch: 1, member: 'm1' }, 0, bytes(record.slice(0, 20)))).close();
    const state = stateIn(files.read('1-m1-0.log') ?? new Uint8Array());
    expect([...state.sessions.keys()]).toEqual(['s']);
    expect(state.token).toBe(7);
  });

  test('a server whose token is gone answers nothing', () => {
    const files = new MemoryFiles(tokenName(protocol.FIRST_TOKEN));
    const server = begin(files, 1);
    const member = new Recorder('member');
    run(server.join(member));
    files.rename('1-m1', '2-other');
    run(server.handle([{ member, number: 1, words: ['attach', 's', 1, 1000, 'label', '1'] }]));
    expect(member.answers).toEqual([]);
    expect(server.ended).toBe(true);
  });
});
