#!/usr/bin/env node
// The command of the package: `npx @sluice/inspect FILE` prints the report of a dump, and
// `npx @sluice/inspect --view PROGRAM` runs a program with a view.
//
// A worker makes the report: a dump that was made to harm its reader ends with an error after a while, not with a process
// that hangs or has used up all memory.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '@sluice/core/calls';
import { formatDump } from './format-dump.ts';

const USAGE = `Usage: npx @sluice/inspect [--lines=N] FILE
       npx @sluice/inspect --view[=PORT] PROGRAM [ARGUMENT...]

The first form prints
Prints the report of a dump of an arena, as dumpArena() returns it and the watchdog writes it with SLUICE_DUMP.

  --lines=N      the most lines of each section, 20 by default

The second form runs a program of Node.js, and writes the URL of a page that shows its arenas as they live.

  --view=PORT    the port of the page, any free one by default
`;
/** ms. A dump of 10,000 waiters takes less than one second. */
const DEADLINE = 60_000;
const MEMORY_MB = 2048;

interface Task {
  readonly dump: Uint8Array;
  readonly lines: number | undefined;
}

type Outcome = { readonly text: string } | { readonly error: string };

function main(): void {
  const options = process.argv.slice(2);
  const [first = '', ...program] = options;
  const view = /^--view(?:=(\d{1,5}))?$/.exec(first);
  if (view !== null && program.length > 0) {
    runWithView(view[1] ?? '1', program);
    return;
  }
  const files = options.filter((option) => !option.startsWith('-'));
  const [file, ...others] = files;
  const flags = options.filter((option) => option.startsWith('-'));
  const lines = flags.map((flag) => /^--lines=(\d+)$/.exec(flag)?.[1]);
  if (flags.includes('--help') || flags.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  if (file === undefined || others.length > 0 || lines.includes(undefined) || lines.length > 1) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  let dump: Uint8Array;
  try {
    dump = readFileSync(file);
  } catch (failure) {
    fail(messageOf(failure));
    return;
  }
  const [most] = lines;
  print({ dump, lines: most === undefined ? undefined : Number(most) });
}

/** Runs `node --import VIEW PROGRAM`. Ends as the program ends. */
function runWithView(port: string, program: readonly string[]): void {
  const view = new URL('view.js', import.meta.url).href;
  const child = spawn(process.execPath, [...process.execArgv, '--import', view, ...program], {
    stdio: 'inherit',
    env: { ...process.env, SLUICE_VIEW: port },
  });
  // A terminal sends these to both processes: the program decides. A supervisor sends SIGTERM to this one alone.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => undefined);
  process.on('SIGTERM', () => void child.kill('SIGTERM'));
  child.once('error', (failure) => fail(messageOf(failure)));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}

function print(workerData: Task): void {
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const deadline = setTimeout(() => {
    fail(`The dump cannot be read within ${DEADLINE / 1000} s. It was not written by Sluice, or was changed since.`);
    void worker.terminate();
  }, DEADLINE);
  worker.once('message', (outcome: Outcome) => {
    if ('text' in outcome) process.stdout.write(`${outcome.text}\n`);
    else fail(outcome.error);
  });
  worker.once('error', (failure) => fail(`The dump cannot be read: ${messageOf(failure)}`));
  worker.once('exit', () => clearTimeout(deadline));
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function answer({ dump, lines }: Task): Outcome {
  try {
    return { text: formatDump(dump, lines === undefined ? {} : { lines }) };
  } catch (failure) {
    return { error: messageOf(failure) };
  }
}

if (isMainThread) main();
else parentPort?.postMessage(answer(workerData as Task));
