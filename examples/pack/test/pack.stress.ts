import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath, getuid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  argumentSuite,
  runProgram,
  viewOf,
  type Finished,
  type ProgramOptions,
} from '../../../tools/harness/src/program.ts';
import { packAlone } from '../src/alone.mjs';
import { packTogether } from '../src/together.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const MEGABYTE = 1 << 20;
const NOBODY = { uid: 65_534, gid: 65_534 };

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-pack-'));
  chmodSync(directory, 0o755);
});

afterEach(() => {
  // rmSync cannot be used, because one test creates a path that is too long for it.
  if (platform === 'win32') rmSync(directory, { recursive: true });
  else spawnSync('rm', ['-rf', directory]);
});

const pack = (args: readonly string[], options?: ProgramOptions): Promise<Finished> => runProgram(main, args, options);

/** Creates files of zeros that take no room on the disk and a while to pack. */
function makeSparseFiles(count: number, bytes: number): void {
  for (let index = 0; index < count; index++) {
    const file = join(directory, `zeros-${index}`);
    writeFileSync(file, '');
    truncateSync(file, bytes);
  }
}

/** Returns the hash of the output of `sha256sum --zero` for these files. */
function digestOf(files: [name: Buffer, content: Buffer][]): string {
  const all = createHash('sha256');
  for (const [name, content] of files.sort(([a], [b]) => a.compare(b))) {
    all
      .update(`${createHash('sha256').update(content).digest('hex')}  `)
      .update(name)
      .update('\0');
  }
  return all.digest('hex');
}

/** Sends the signal when the output first matches. */
function once(signal: NodeJS.Signals, pattern: RegExp): NonNullable<ProgramOptions['onOutput']> {
  let sent = false;
  return (stdout, kill) => {
    if (sent || !pattern.test(stdout)) return;
    sent = true;
    kill(signal);
  };
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]);
}

describe('pack', () => {
  test('computes the digest of every file in the tree, whatever its name', async () => {
    const texts = ['empty', 'a name with spaces', 'line\nbreak', '\u001b[2Jescape', 'ünïcödé', 'sub/deeper/file'];
    const names = texts.map((name) => Buffer.from(name));
    if (platform === 'linux') names.push(Buffer.from([0x62, 0xff, 0xfe, 0x80]));
    const files = names.map((name, index): [Buffer, Buffer] => [name, Buffer.alloc(index * 100_000, index)]);
    mkdirSync(join(directory, 'sub/deeper'), { recursive: true });
    mkdirSync(join(directory, 'looks-like-a-file.txt'));
    for (const [name, content] of files) writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name]), content);
    symlinkSync('empty', join(directory, 'link'));
    symlinkSync('nowhere', join(directory, 'dangling'));

    const { code, stdout, stderr } = await pack(['--workers', '3', '--no-kill', directory]);

    expect(stderr).toBe('');
    expect(stdout).toContain(`${files.length}, 2.1 MB (left out: 2 symbolic links, 0 special files)`);
    expect(stdout).toMatch(new RegExp(`^packed +${files.length} files`, 'm'));
    expect(stdout).toMatch(new RegExp(`^digest +${digestOf(files)}$`, 'm'));
    expect(stdout).toMatch(/^one thread +gives the same digest: ok$/m);
    expect(stdout).toMatch(/^one thread +\d+ +[\d.]+ s +\d+ +[\d.]+ s +0 +0$/m);
    expect(stdout).toMatch(/^3 workers +\d+ +[\d.]+ s +\d+ +[\d.]+ s +0 +0$/m);
    expect(stdout).toMatch(/^gain +3 workers: [\d.]+ times as fast as one thread$/m);
    expect(code).toBe(0);
  });

  test('loses and doubles no file when a worker is killed in a batch', async () => {
    const files = Array.from({ length: 3000 }, (_, index): [Buffer, Buffer] => [
      Buffer.from(`file-${index}`),
      Buffer.alloc(10_000, index),
    ]);
    for (const [name, content] of files) writeFileSync(join(directory, String(name)), content);

    const { code, stdout, stderr } = await pack(['--workers', '3', '--no-verify', directory]);

    expect(stderr).toBe('');
    const byWorker = stdout.matchAll(/^ {2}worker \d +(\d+) files?/gm);
    const counts = [...byWorker].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count)).toBe(3000);
    expect(stdout).toMatch(/^ {2}worker \d +\d+ files? before it was killed$/m);
    expect(stdout).toMatch(
      /^killed +worker \d in the middle of a batch, at 4\d %\n +another worker took its place: ok$/m,
    );
    expect(stdout).toMatch(/no file is lost or counted twice: ok$/m);
    expect(stdout).toContain(digestOf(files));
    expect(code).toBe(0);
  });

  test('kills a worker in each pass of several workers, and the table counts it and no lost task', async () => {
    for (let index = 0; index < 400; index++)
      writeFileSync(join(directory, `file-${index}`), Buffer.alloc(50_000, index));

    const { code, stdout, stderr } = await pack(['--workers', '2', directory]);

    expect(stderr).toBe('');
    const [, passes, killed, lost] = /^2 workers +(\d+) .* (\d+) +(\d+)$/m.exec(stdout) ?? [];
    expect(stdout).toMatch(/^workers +2; one of them is killed on the way/m);
    expect(Number(passes)).toBeGreaterThan(0);
    expect(killed).toBe(passes);
    expect(lost).toBe('0');
    expect(stdout).toMatch(/^gain +2 workers: [\d.]+ times as fast as one thread; one was killed$/m);
    expect(code).toBe(0);
  });

  test('writes every file compressed, under the digest of its content, and no partial file', async () => {
    const contents = Array.from({ length: 100 }, (_, index) => Buffer.alloc(20_000 + index * 5000, `${index} `));
    const source = join(directory, 'source');
    mkdirSync(source);
    for (const [index, content] of contents.entries()) writeFileSync(join(source, `file-${index}`), content);
    const out = join(directory, 'deep', 'out');

    const { code, stdout, stderr } = await pack(['--workers', '2', '--out', out, source]);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/no file is lost or counted twice: ok$/m);
    const written = readdirSync(out).filter((name) => name.endsWith('.gz'));
    expect(written).toHaveLength(contents.length);
    for (const content of contents) {
      const digest = createHash('sha256').update(content).digest('hex');
      expect(gunzipSync(readFileSync(join(out, `${digest}.gz`))).equals(content)).toBe(true);
    }
    expect(readdirSync(out)).toEqual(written);
    expect(code).toBe(0);
  });

  test('an empty directory is no failure', async () => {
    const { code, stdout } = await pack([directory]);

    expect(stdout).toMatch(/^packed +0 files/m);
    expect(stdout).toContain(digestOf([]));
    expect(code).toBe(0);
  });

  test('--no-verify makes one pass only', async () => {
    writeFileSync(join(directory, 'file'), 'content');

    const { code, stdout } = await pack(['--no-verify', directory]);

    expect(stdout).toContain(digestOf([[Buffer.from('file'), Buffer.from('content')]]));
    expect(stdout).not.toContain('one thread');
    expect(code).toBe(0);
  });
});

describe('pack and files that cannot be read', () => {
  test.skipIf(platform === 'win32')('a file whose path is too long is reported and skipped', async () => {
    const longest = (platform === 'linux' ? 4096 : 1024) - 1;
    const name = 'n'.repeat(250);
    const depth = Math.floor((longest - directory.length) / (name.length + 1));
    const deep = join(directory, ...Array<string>(depth).fill(name));
    mkdirSync(deep, { recursive: true });
    // It can be created below the working directory, but not opened by its whole path.
    const made = spawnSync(execPath, ['-e', `require('node:fs').writeFileSync('${name}', '')`], { cwd: deep });
    expect(made.status).toBe(0);
    writeFileSync(join(directory, 'readable'), '');

    const { code, stdout } = await pack([directory]);

    expect(stdout).toMatch(/^packed +1 file,/m);
    expect(stdout).toMatch(/^skipped +1\n {2}ENAMETOOLONG +'n/m);
    expect(stdout).toContain(digestOf([[Buffer.from('readable'), Buffer.alloc(0)]]));
    expect(code).toBe(0);
  });

  // Root can read every file: then the program runs as another user, if that user may read this checkout.
  const identity = getuid?.() === 0 ? NOBODY : {};
  const mayRun = platform !== 'win32' && spawnSync(execPath, [main, '--help'], identity).status === 0;
  test.skipIf(!mayRun)('files and directories without permission are reported and skipped', async () => {
    mkdirSync(join(directory, 'closed'));
    for (const name of ['secret', 'readable', 'closed/unseen']) writeFileSync(join(directory, name), name);
    for (const name of ['secret', 'closed']) chmodSync(join(directory, name), 0);

    const { code, stdout } = await pack([directory], { identity });

    chmodSync(join(directory, 'closed'), 0o755);
    expect(stdout).toMatch(/^skipped +2\n {2}EACCES +'closed'\n {2}EACCES +'secret'$/m);
    expect(stdout).toMatch(/^packed +1 file,/m);
    expect(code).toBe(0);
  });

  test('a file that vanished since the listing and one that is now a directory are skipped in every pass', async () => {
    const files = ['vanished', 'directory', 'file'].map((name) => ({
      path: Buffer.from(join(directory, name)),
      size: 0,
    }));
    mkdirSync(join(directory, 'directory'));
    writeFileSync(join(directory, 'file'), 'content');
    const pass = { signal: new AbortController().signal, onProgress: () => undefined };

    const together = await packTogether(files, { workers: 2, kill: false, out: undefined, ...pass });
    const alone = await packAlone(files, pass);

    for (const { results } of [together, alone]) {
      expect(results.failure(0)).toBe('ENOENT');
      expect(results.failure(1)).toMatch(/EISDIR|EPERM/);
      expect(results.said(2)).toMatch(
        new RegExp(`^${createHash('sha256').update('content').digest('hex')} [0-9a-f]{64}$`),
      );
      expect(results).toMatchObject({ files: 1, missing: 0, repeated: 0 });
    }
  });
});

// Windows has no signals to send.
describe.skipIf(platform === 'win32')('pack and Ctrl-C', () => {
  test('ends with partial totals', async () => {
    makeSparseFiles(400, 8 * MEGABYTE);

    const onOutput = once('SIGINT', /^together: \d+ of 3355 MB$/m);
    const { code, stdout, stderr } = await pack(['--workers', '4', '--no-kill', directory], { onOutput });

    const left = numberIn(stdout, /^interrupted +(\d+) of 400 files not looked at, partial totals:$/m);
    expect(numberIn(stdout, /^packed +(\d+) files?,/m)).toBe(400 - left);
    expect(left).toBeGreaterThan(0);
    expect(stdout).not.toContain('one thread');
    expect(stderr).toBe('');
    expect(code).toBe(130);
  });

  test('ends while one thread checks the result', async () => {
    makeSparseFiles(64, MEGABYTE);

    const { code, stdout } = await pack([directory], { onOutput: once('SIGINT', /^packed/m) });

    expect(stdout).toMatch(/^packed +64 files/m);
    expect(stdout).toMatch(/^interrupted +not checked against one thread$/m);
    expect(code).toBe(130);
  });

  test('a second signal ends it at once, even within a file', async () => {
    makeSparseFiles(1, 1024 * 1024 * MEGABYTE);

    let sent = false;
    const { signal, stdout } = await pack([directory], {
      onOutput: (_, kill) => {
        if (sent) return;
        sent = true;
        // Send two different signals, because the kernel merges two pending ones of one kind. The second one arrives
        // before the workers can have ended.
        kill('SIGINT');
        kill('SIGTERM');
      },
    });

    expect(stdout).not.toContain('packed');
    // Either signal may be handled first.
    expect(['SIGINT', 'SIGTERM']).toContain(signal);
  });
});

describe('pack and its arguments', () => {
  argumentSuite(main, 'Usage: npm start', [
    [['--workers', '0'], '--workers must be a whole number from 1 to 256: received "0"'],
    [['--workers', '1.5'], '--workers must be a whole number from 1 to 256: received "1.5"'],
    [['--out', join(main, 'below'), tmpdir()], 'below cannot be made: ENOTDIR'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['one', 'two'], 'One directory at a time: received one two'],
    [[join(tmpdir(), 'sluice-no-such-directory')], 'sluice-no-such-directory does not exist'],
    [[main], 'main.mjs is not a directory'],
  ]);
});

test('--view shows the buffer and the workers while files are packed', async () => {
  makeSparseFiles(8, 256 * MEGABYTE);
  const { arena } = await viewOf(main, ['--view', '--workers', '2', '--no-verify', directory]);
  expect(arena?.primitives.length).toBeGreaterThan(0);
});
