// @ts-check
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * A measurement that could not be taken. The scenario reports it and goes on with the others.
 */
export class MeasurementError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'MeasurementError';
  }
}

/**
 * Runs a program and parses the last line of its output as JSON. A program that overruns is killed.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {number} timeoutMs
 * @returns {Promise<unknown>}
 */
export function runForJson(program, args, timeoutMs) {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: /** @type {const} */ ('SIGKILL'), maxBuffer: 64 << 20 };
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      process.off('exit', kill);
      if (error) {
        const overran = child.killed || error.signal === 'SIGALRM';
        const cause = overran ? `killed after ${timeoutMs} ms` : lastLineOf(stderr) || error.message;
        reject(new MeasurementError(cause));
        return;
      }
      try {
        resolve(JSON.parse(lastLineOf(stdout)));
      } catch {
        reject(new MeasurementError(`printed no JSON: ${lastLineOf(stdout)}`));
      }
    });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
  });
}

/** @param {string} text */
function lastLineOf(text) {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

/**
 * Runs one of the programs in `src/jobs` in a process of its own, so that its memory, its compiled code and its
 * threads are its own.
 * @param {string} name
 * @param {object} specification
 * @param {{ timeoutMs: number, runtime?: import('./runtimes.mjs').Runtime | undefined, flags?: readonly string[] |
 *   undefined }} options
 * @returns {Promise<unknown>}
 */
export function runJob(name, specification, { timeoutMs, runtime, flags = [] }) {
  const file = fileURLToPath(new URL(`../jobs/${name}.mjs`, import.meta.url));
  const node = runtime?.path ?? process.execPath;
  return runForJson(
    node,
    [...flags, '--no-warnings', file, JSON.stringify(specification), String(timeoutMs)],
    timeoutMs,
  );
}

/**
 * What a job's own process does with its command line.
 * @template Specification
 * @param {(specification: Specification) => Promise<object>} measure
 * @returns {Promise<never>}
 */
export async function main(measure) {
  // For a job that outlives the process that started it.
  setTimeout(() => process.exit(1), Number(process.argv[3] ?? 60_000)).unref();
  try {
    const result = await measure(JSON.parse(process.argv[2] ?? '{}'));
    await new Promise((resolve) => process.stdout.write(`${JSON.stringify(result)}\n`, resolve));
    process.exit(0);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    await new Promise((resolve) => process.stderr.write(`${text.split('\n')[0]}\n`, resolve));
    process.exit(1);
  }
}
