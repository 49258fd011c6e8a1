import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { atFullDepth } from '../../../tools/harness/src/session.ts';
import {
  argumentSuite,
  runProgram,
  viewOf,
  type Finished,
  type ProgramOptions,
} from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;

const dine = (args: readonly string[], options?: ProgramOptions): Promise<Finished> => runProgram(main, args, options);

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/** Returns flags for Node.js with which a thread sleeps forever before it begins, unless the condition holds. */
function hangUnless(condition: string): string[] {
  const names = `import { isMainThread, workerData } from 'node:worker_threads'`;
  const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
  return ['--import', `data:text/javascript,${encodeURIComponent(`${names}; (${condition}) || ${hang};`)}`];
}

describe('a dinner with real threads', () => {
  test.each([
    ['mutex', 8],
    ['lock-reduced', 8],
    ...atFullDepth(['mutex', 2], ['mutex', 5], ['lock-reduced', 2], ['lock-reduced', 5]),
  ] as const)(
    'at the %s table %i philosophers eat by the rule, without pauses and with them',
    { timeout: THREADS_MS },
    async (solution, philosophers) => {
      const table = ['--solution', solution, '--philosophers', `${philosophers}`];
      for (const speed of [
        ['--pace', '0', '--meals', '1000'],
        ['--pace', '2', '--meals', '50', '--seed', '7'],
      ]) {
        const { code, stdout, stderr } = await dine([...table, ...speed]);

        const meals = Number(speed[3]);
        expect(stderr).toBe('');
        expect(stdout).toMatch(new RegExp(`^  meals +${philosophers * meals} in [\\d.]+ s, ${meals} by each$`, 'm'));
        expect(count(stdout, /^ {2}(checked|forks|at rest) .*: ok$/gm)).toBe(3);
        expect(stdout).toMatch(/at most (0 times|once) \(bound 1\)$/m);
        expect(code).toBe(0);
      }
    },
  );

  test('the mutex table accepts more than eight philosophers', { timeout: THREADS_MS }, async () => {
    const { code, stdout } = await dine([
      '--solution',
      'mutex',
      '--philosophers',
      '13',
      '--pace',
      '1',
      '--meals',
      '10',
    ]);

    expect(stdout).toMatch(/^ {2}meals +130 in /m);
    expect(code).toBe(0);
  });

  test('with forks as mutexes, and both taken in one call, all philosophers eat', { timeout: THREADS_MS }, async () => {
    for (const philosophers of ['2', '8']) {
      const { code, stdout, stderr } = await dine([
        '--solution',
        'forks',
        '--philosophers',
        philosophers,
        '--pace',
        '0',
        '--meals',
        '1000',
      ]);

      expect(stderr).toBe('');
      expect(stdout).toMatch(new RegExp(`^  meals +${philosophers}000 in [\\d.]+ s, 1000 by each$`, 'm'));
      expect(count(stdout, /^ {2}(checked|forks|at rest) .*: ok$/gm)).toBe(3);
      expect(stdout).not.toContain('overtaken');
      expect(code).toBe(0);
    }
  });

  test('no philosopher is served before all have sat down', { timeout: THREADS_MS }, async () => {
    const onOutput: ProgramOptions['onOutput'] = (soFar, kill) => {
      if (/^mutex: \d/m.test(soFar)) kill('SIGKILL');
    };
    const { stdout } = await dine([], { flags: hangUnless('workerData?.me !== 2'), onOutput });

    expect(stdout).toMatch(/^mutex: 0 of 100 meals/m);
  });

  test('without arguments the program runs both tables, one after the other', { timeout: THREADS_MS }, async () => {
    const { code, stdout } = await dine([]);

    expect(stdout).toMatch(/^5 philosophers, 20 meals each, .* --seed \d+$/m);
    expect(stdout).toMatch(/^mutex$[^]*^lock-reduced$/m);
    expect(count(stdout, /^ {2}meals +100 in [\d.]+ s, 20 by each$/gm)).toBe(2);
    expect(stdout).not.toContain('\u001b');
    expect(code).toBe(0);
  });
});

// Windows has no signals to send.
describe.skipIf(platform === 'win32')('Ctrl-C', () => {
  test('ends the dinner: philosophers that had asked still eat, and the log is checked', {
    timeout: THREADS_MS,
  }, async () => {
    let sent = false;
    const onOutput: ProgramOptions['onOutput'] = (soFar, kill) => {
      if (sent || !/^mutex: [1-9]\d* of 50000 meals/m.test(soFar)) return;
      sent = true;
      kill('SIGINT');
    };
    const { code, stdout, stderr } = await dine(['--meals', '10000', '--pace', '50'], { onOutput });

    expect(stderr).toBe('');
    const eaten = Number(/^ {2}interrupted +after (\d+) of 50000 meals$/m.exec(stdout)?.[1]);
    expect(eaten).toBeGreaterThan(0);
    expect(eaten).toBeLessThan(50_000);
    expect(count(stdout, /^ {2}(checked|forks|at rest) .*: ok$/gm)).toBe(3);
    expect(stdout).not.toContain('lock-reduced');
    expect(code).toBe(130);
  });

  test('twice, slowly, ends the program at once, even if threads hang', { timeout: THREADS_MS }, async () => {
    let timer: NodeJS.Timeout | undefined;
    const onOutput: ProgramOptions['onOutput'] = (_, kill) => (timer ??= setInterval(() => kill('SIGINT'), 50));
    const { code, stdout } = await dine([], { flags: hangUnless('isMainThread'), onOutput });
    clearInterval(timer);

    expect(stdout).not.toContain('interrupted');
    expect(code).toBe(130);
  });

  test('Ctrl-C and a second signal at the same moment, as npm sends it, end the program cleanly', {
    timeout: THREADS_MS,
  }, async () => {
    let sent = false;
    const onOutput: ProgramOptions['onOutput'] = (_, kill) => {
      if (sent) return;
      sent = true;
      // The program is stopped until both are there. Two signals of one kind may arrive as one.
      for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) kill(signal);
    };
    const { code, stdout } = await dine([], { onOutput });

    expect(stdout).toMatch(/^ {2}interrupted +after \d+ of 100 meals$/m);
    expect([128 + 2, 128 + 15]).toContain(code);
  });
});

describe('bad input', () => {
  const upTo8 = '--philosophers must be a whole number from 2 to 8 (to 64 with --solution mutex or forks): received';
  argumentSuite(main, 'Usage: node src/main.mjs', [
    [['--philosophers', '1'], `${upTo8} "1"`],
    [['--philosophers', '9'], `${upTo8} "9"`],
    [['--philosophers', 'x'], `${upTo8} "x"`],
    [['--philosophers', '2.5'], `${upTo8} "2.5"`],
    [['--philosophers='], `${upTo8} ""`],
    [['--philosophers', '9', '--solution', 'lock-reduced'], `${upTo8} "9"`],
    [
      ['--philosophers', '65', '--solution', 'mutex'],
      '--philosophers must be a whole number from 2 to 64: received "65"',
    ],
    [
      ['--philosophers', '1', '--solution', 'mutex'],
      '--philosophers must be a whole number from 2 to 64: received "1"',
    ],
    [['--solution', 'fork'], '--solution must be mutex, lock-reduced, both or forks: received "fork"'],
    [['--solution', 'toString'], '--solution must be mutex, lock-reduced, both or forks: received "toString"'],
    [['--meals', '0'], '--meals must be a whole number from 1 to 10000: received "0"'],
    [['--pace', '-1'], "Option '--pace"],
    [['--pace=-1'], '--pace must be a whole number from 0 to 1000: received "-1"'],
    [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295: received "4294967296"'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['5'], "Unexpected argument '5'"],
  ]);
});

test('--view shows the primitives of the program while it runs', { timeout: THREADS_MS }, async () => {
  const { arena } = await viewOf(main, ['--view', '--solution', 'mutex', '--pace', '1000', '--meals', '1000']);
  expect(arena?.primitives.length).toBeGreaterThan(0);
});
