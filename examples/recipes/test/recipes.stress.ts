// Runs the programs that the site's recipes show.
import { build } from 'esbuild';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker as Thread } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { resize as Resize } from '../image-resize/resize.mjs';

const PROGRAM_MS = 180_000;
const folder = fileURLToPath(new URL('..', import.meta.url));

function run(program: string, node = execPath): { printed: string; failed: string; code: number | null } {
  const { status, stdout, stderr } = spawnSync(node, ['--no-warnings', join(folder, program)], {
    encoding: 'utf8',
    timeout: PROGRAM_MS,
    killSignal: 'SIGKILL',
  });
  return { printed: stdout, failed: stderr, code: status };
}

test.each([
  ['start/first.mjs', /^(left added 1000\nright added 1000|right added 1000\nleft added 1000)\ntogether 2000\n$/],
  ['start/death.mjs', /^free while the worker works: 0\ncame back: 1 of turn\nthe main thread has the permit\n$/],
  ['crawler/main.mjs', /^30 pages\n$/],
  ['shared-cache/main.mjs', /^3000 lookups, each of 50 users loaded once: true\nuser 12\n$/],
  ['database-writer/main.mjs', /^3000 rows; fewer transactions than rows: true\n$/],
  ['log-pipeline/main.mjs', /^written and dropped: 10002\n$/],
  [
    'cancel-everything/main.mjs',
    /^(the user has left\n){6}The operation was aborted\nfree: 1 slot, mutex true, 0 values, 0 calls\n$/,
  ],
  ['third-party-lock/main.mjs', /^15000 of 15000\n$/],
  [
    'condition/main.mjs',
    /^(?=[^]*a worker sees at least 100 samples: true)(?=[^]*the main thread sees at least 100 samples: true)/,
  ],
  ['one-job-per-key/main.mjs', /^40 keys, each built once: true\n$/],
  ['resume-after-crash/main.mjs', /^199 jobs done, 1 given up, 4 crashes\n$/],
  ['api-limit/main.mjs', /^refused: 0\n$/],
  ['tenant-limit/main.mjs', /^served while the busy tenant still waited: true\nexit codes 0, 0; calls left: 0\n$/],
  ['fan-out/main.mjs', /^3000( 3000){9}\n$/],
  [
    'counted-ends/main.mjs',
    /^producers die: (died, ){3}was told, was told, was told\nconsumers die: (died, ){3}was told, was told, was told\n$/,
  ],
  ['ordered-pipeline/main.mjs', /^4000 rows, in order: true, workers replaced: 1\n$/],
  ['stream-through-workers/main.mjs', /^20000 lines, compressed by another thread\n$/],
  ['urgent-first/main.mjs', /^done first\n(done \d\n){5}left: 0\n$/],
  ['latest-value/main.mjs', /^2000 steps, drawn at most as often: true\n$/],
] as const)('%s prints what its page says', { timeout: PROGRAM_MS }, (program, printed) => {
  const ended = run(program);
  expect(ended).toMatchObject({ failed: '', code: 0 });
  expect(ended.printed).toMatch(printed);
});

// Node.js has SQLite since 22.13. Without it the program above wrote a plain file.
const withSqlite = Number(process.versions.node.split('.')[0]) >= 24 ? execPath : env['SLUICE_NODE24'];
test.skipIf(withSqlite === undefined)('database-writer/main.mjs writes to SQLite', { timeout: PROGRAM_MS }, () => {
  expect(run('database-writer/main.mjs', withSqlite)).toEqual({
    printed: '3000 rows; fewer transactions than rows: true\n',
    failed: '',
    code: 0,
  });
});

test('the server answers, and refuses at once the requests for which its queue has no room', {
  timeout: PROGRAM_MS,
}, async () => {
  const child = spawn(execPath, [join(folder, 'server/main.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = line.toString().trim();
    expect(await (await fetch(`${url}100`)).text()).toBe('25\n');
    const gone = new AbortController();
    const all = Array.from({ length: 20 }, () =>
      fetch(`${url}999999999`, { signal: gone.signal }).then(({ status, headers }) => [
        status,
        headers.get('retry-after'),
      ]),
    );
    const refused = all.map(async (answer) => {
      const [status, after] = await answer;
      if (status !== 503) throw new Error(String(status));
      return after;
    });
    // The tasks of the first six run or wait until they are aborted; each of the others is refused.
    expect(await Promise.any(refused)).toBe('1');
    gone.abort();
    const statuses = (await Promise.allSettled(all)).flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value[0]] : [],
    );
    const busy = statuses.filter((status) => status === 503).length;
    expect(busy).toBeGreaterThanOrEqual(1);
    expect(busy).toBeLessThanOrEqual(14);
  } finally {
    child.kill('SIGKILL');
  }
});

// Windows has no signals to send.
test.skipIf(platform === 'win32')(
  'graceful-shutdown/main.mjs finishes the accepted jobs and ends',
  { timeout: PROGRAM_MS },
  async () => {
    const child = spawn(execPath, [join(folder, 'graceful-shutdown/main.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
      if (printed === 'ready\n') child.kill('SIGTERM');
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, printed }).toEqual({ code: 0, printed: 'ready\njobs lost: 0\n' });
  },
);

/** The parts of a web worker that the recipe uses. It runs a bundled file in a thread of Node.js. */
function webWorkers(bundle: string): typeof Worker {
  class FakeWorker {
    readonly #thread = new Thread(
      `const { parentPort } = require('node:worker_threads');
       globalThis.self = globalThis;
       const loaded = import(${JSON.stringify(bundle)});
       parentPort.on('message', (data) => loaded.then(() => self.onmessage({ data })));`,
      { eval: true },
    );

    postMessage(data: unknown): void {
      this.#thread.postMessage(data);
    }

    terminate(): void {
      void this.#thread.terminate();
    }
  }
  return FakeWorker as unknown as typeof Worker;
}

test('the picture that the bundled page scales is the mean of the pixels that each new pixel covers', {
  timeout: PROGRAM_MS,
}, async () => {
  const out = mkdtempSync(join(tmpdir(), 'recipes-'));
  const web = globalThis.Worker;
  try {
    await build({
      absWorkingDir: join(folder, 'image-resize'),
      entryPoints: ['page.mjs', 'resize.mjs', 'worker.mjs'],
      bundle: true,
      format: 'esm',
      outdir: out,
      outExtension: { '.js': '.mjs' },
      logLevel: 'silent',
    });
    expect(readdirSync(out).sort()).toEqual(['page.mjs', 'resize.mjs', 'worker.mjs']);

    globalThis.Worker = webWorkers(join(out, 'worker.mjs'));
    const { resize } = (await import(/* @vite-ignore */ join(out, 'resize.mjs'))) as { resize: typeof Resize };
    const [width, height] = [64, 100];
    const data = new Uint8ClampedArray(width * height * 4);
    for (let pixel = 0; pixel < width * height; pixel++)
      data.set([pixel % width, Math.floor(pixel / width), 7, 255], pixel * 4);
    const small = await resize({ data, width, height }, 32, 50, 2);

    expect([small.width, small.height, small.data.length]).toEqual([32, 50, 32 * 50 * 4]);
    for (let pixel = 0; pixel < 32 * 50; pixel++) {
      const [x, y] = [pixel % 32, Math.floor(pixel / 32)];
      // 0.5 is rounded up
      expect([...small.data.subarray(pixel * 4, pixel * 4 + 4)]).toEqual([2 * x + 1, 2 * y + 1, 7, 255]);
    }
  } finally {
    globalThis.Worker = web;
    rmSync(out, { recursive: true });
  }
});
