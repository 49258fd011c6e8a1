// @ts-check
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { builtinModules } from 'node:module';
import { env } from 'node:process';
import tseslint from 'typescript-eslint';

/** Without the rules that need types, which take two thirds of the time: at the quick depth. */
const isPlain = env['SLUICE_LINT'] === 'plain';

const PACKAGE_SOURCES = 'packages/*/src/**/*.ts';

/** The only modules that may touch shared words: everything else goes through them. */
const ATOMICS_MODULES = ['packages/core/src/kernel/words.ts', 'packages/core/src/agent/parking.ts'];

const ATOMICS_MESSAGE = `Only ${ATOMICS_MODULES.join(' and ')} may name the global Atomics.`;

/** @param {string} pattern a regular expression over module names */
const dynamicImport = (pattern) => `ImportExpression > Literal[value=/${pattern}/]`;

const outsideSources = {
  regex:
    '(^|/)(src|tools|test|dist)(/|$)|^@sluice/[^/]+/(?!(calls|drawing|format|internal|js|kernel|lock-order|report|select|steps|view|watchdog|web-streams|why)$)',
  message: 'A package imports its own files relatively and other packages by name, never tools, tests or another src.',
};

const otherLocks = {
  regex: '^@sluice/(?!core(/|$))',
  message: 'A wrapper of a lock knows no lock, only the interface of the core.',
};

const nodeBuiltins = {
  regex: `^(node:|(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$)`,
  message: 'Packages run on every platform: no Node.js modules.',
};

const namedExports = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'ExportSpecifier[exported.name="default"]', message: 'Named exports only.' },
];

const packageSyntax = [
  ...namedExports,
  { selector: dynamicImport('^node:'), message: nodeBuiltins.message },
  { selector: dynamicImport('(^|\\u002f)(src|tools|test)\\u002f'), message: outsideSources.message },
];

/**
 * The driver of waits, and the files that still sleep beside it: an agent while it joins, the probe of another agent's
 * life, and three packages whose waiters do not sleep at an element: the barrier, the queue of lock requests by name,
 * the event count of the pool. This list only shrinks.
 */
const SLEEPERS = [
  'packages/core/src/line/**',
  'packages/core/src/agent/{agent-context,liveness-probe}.ts',
  'packages/barrier/src/blocking.ts',
  'packages/named/src/web-locks/request-queue.ts',
  'packages/worker-pool/src/shared/event-count.ts',
];

const sleep = {
  selector:
    'CallExpression > MemberExpression.callee[property.name=/^wait(Async)?$/]:matches([object.name="parking"], [object.property.name="parking"])',
  message: 'Only the driver of waits sleeps: packages/core/src/line.',
};

/**
 * Node.js 20 ends the whole process, now and then, if a worker is terminated when the evaluation of a module with a
 * top-level await begins.
 */
const topLevelAwait = {
  selector: ':matches(AwaitExpression, ForOfStatement[await=true]):not(:function *)',
  message: 'No top-level await: tests terminate these workers.',
};

/**
 * A pause orders nothing on a busy machine. Tests wait for a state, with a look per ms in a `while` loop at most.
 */
const pauseInTest = [
  {
    selector:
      ':matches(CallExpression[callee.name="setTimeout"], CallExpression[callee.object.name="Atomics"][callee.property.name="wait"][arguments.length=4]):not(WhileStatement *)',
    message: 'No pause orders events in a test: wait until a condition holds (TIMED_TESTS has the exceptions).',
  },
  {
    selector: 'ImportDeclaration[source.value=/timers/] > ImportSpecifier[imported.name="setTimeout"]',
    message: 'No pause orders events in a test: wait until a condition holds (TIMED_TESTS has the exceptions).',
  },
];

/** The tests with pauses. None of them fails if a pause is shorter or longer. This list only shrinks. */
const TIMED_TESTS = [
  // A timer is the subject of the test.
  'packages/local/test/event-loop-turns.test.ts',
  'packages/named/test/web-locks.test.ts',
  'packages/remote/test/leader.test.ts',
  // They replace timers, and call those of Vitest or Node.js.
  'packages/core/test/watch-asks.test.ts',
  'packages/mutex/test/pending.test.ts',
  'packages/worker-pool/test/jsdom.test.ts',
  // The pauses between two probes of a thread that ends.
  'packages/core/test/liveness-probe.test.ts',
  // A hold lasts longer than a limit of 1 ms. A timer never fires early.
  'packages/inspect/test/lints.test.ts',
  // Events at random times, and each order of them passes.
  'packages/redis/test/semaphore.test.ts',
  'packages/worker-pool/test/{slots,workers}.test.ts',
  // No word says that the buffer of results is full: a worker without memory for a wait tries again.
  'packages/worker-pool/test/full-arena.test.ts',
];

export default defineConfig(
  globalIgnores(['**/node_modules/', '**/dist/', '**/coverage/', '**/.cache/', '**/.workers/', '**/*.generated.ts']),
  // These take the place of untyped files of other packages.
  globalIgnores(['tools/peers/src/adapters/']),
  // Jest loads them, which takes CommonJS and globals only.
  globalIgnores(['tools/whole/realms/*.cjs']),
  // These run in a page as they are.
  globalIgnores(['examples/*/public/']),
  // Of packages that are installed only when the site is built.
  globalIgnores(['docs/site/.vitepress/']),
  // What readers copy, for bundlers that are not installed here.
  globalIgnores(['tools/bundlers/web/']),
  // Scripts of web pages for the harness of web-platform-tests.
  globalIgnores(['tools/wpt/test/web/']),
  // AssemblyScript is not TypeScript: its own compiler checks it.
  globalIgnores(['packages/*/kernel/**/*.ts']),

  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    // One program for everything, the one that `typecheck` checks: half the time of a project service with its
    // program per package, and a file that no type check sees cannot be linted either.
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-invalid-void-type': 'off', // `void | Promise<void>` is what a callback may return.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // A quarter of the time of lint. The compiler itself sees to both: `erasableSyntaxOnly` leaves no enums, and a
      // class with private fields takes no other object.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      eqeqeq: 'error',
      'no-undef': 'off', // TypeScript knows the globals of each file.
    },
  },
  {
    files: ['**/*.mjs'],
    rules: {
      // JSDoc casts do not exist in the syntax tree that these rules look at; tsc checks the cast types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    // Programs as a reader of the site writes them: what arrives in `workerData` has no type.
    files: ['examples/{recipes,migrating}/**/*.mjs'],
    rules: {
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
    },
  },
  {
    // They play calls of every class, some of them from modules with computed names.
    files: ['tools/whole/test/jobs/**/*.mjs'],
    rules: {
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    files: ['packages/*/test/jobs/**/*.mjs', 'packages/*/test/children/{*worker,kills}.mjs'],
    rules: { 'no-restricted-syntax': ['error', topLevelAwait] },
  },
  {
    files: ['**/src/**'],
    rules: { 'no-restricted-syntax': ['error', ...namedExports] },
  },
  {
    files: ['tools/harness/src/worker.mjs', 'examples/*/src/**/*worker*.mjs'],
    rules: { 'no-restricted-syntax': ['error', ...namedExports, topLevelAwait] },
  },
  {
    files: ['**/*.test.ts'],
    ignores: TIMED_TESTS,
    rules: { 'no-restricted-syntax': ['error', ...pauseInTest] },
  },
  {
    files: [PACKAGE_SOURCES],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // Lines of code.
      'max-lines': ['error', { max: 305, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': ['error', { patterns: [outsideSources, nodeBuiltins] }],
      'no-restricted-syntax': ['error', ...packageSyntax],
    },
  },
  {
    // The wrapper of a lock knows the interfaces of locks and gates.
    files: ['packages/capacitor/src/lock/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [outsideSources, nodeBuiltins, otherLocks] }] },
  },
  {
    // Lists of exports.
    files: ['packages/*/src/{internal,kernel/parts}.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    // A method for each primitive.
    files: ['packages/remote/src/space.ts'],
    rules: { 'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: [PACKAGE_SOURCES],
    ignores: SLEEPERS,
    rules: { 'no-restricted-syntax': ['error', ...packageSyntax, sleep] },
  },
  {
    // A kernel's generic functions are compiled once for each type: the type parameter is how AssemblyScript inlines a
    // kind's methods.
    files: ['packages/*/src/{kernel,*/kernel}/**/*.ts'],
    rules: { '@typescript-eslint/no-unnecessary-type-parameters': 'off' },
  },
  {
    // The workers of a pool, some streams of a buffer, the watchdog, `why`, dumps, and sockets are those of Node.js.
    files: [
      'packages/worker-pool/src/**/*.ts',
      'packages/local/src/**/*.ts',
      'packages/postgres/src/**/*.ts',
      'packages/bounded-buffer/src/{node-streams,streams/node-reading}.ts',
      'packages/inspect/src/watchdog.ts',
      'packages/inspect/src/view.ts',
      'packages/inspect/src/{dump,view,watchdog,why}/**/*.ts',
    ],
    rules: { 'no-restricted-imports': ['error', { patterns: [outsideSources] }] },
  },
  {
    files: [PACKAGE_SOURCES],
    // The watchdog and the view start before there is an arena, and their threads are in none. `why` stands before the functions of Atomics.
    // The orders of locks are those of all arenas.
    ignores: [
      ...ATOMICS_MODULES,
      'packages/inspect/src/{watchdog/{watch-process,watchdog-thread},view/{start-view,view-thread},tables/shared-table-memory,why/*}.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        { globals: [{ name: 'Atomics', message: ATOMICS_MESSAGE }], checkGlobalObject: true },
      ],
    },
  },
  // A line that turns off a rule which is left out is no mistake.
  ...(isPlain
    ? [tseslint.configs.disableTypeChecked, { linterOptions: { reportUnusedDisableDirectives: false } }]
    : []),
);
