// @ts-check
import process from 'node:process';
import { parseArgs } from 'node:util';
import { EVENTS } from './events.mjs';
import { measureKicks, measureSignals } from './measure.mjs';

const USAGE = `Times an auto-reset event, from a condition variable to a box office.

  node src/main.mjs [--threads 4] [--rounds 20000] [--signals 1000000]

  --threads   threads that wake each other, 2 to 64
  --rounds    rounds in which one thread wakes all others
  --signals   signals to an event that is signalled already
`;

/** @param {string} name @param {string} text @param {number} least @param {number} most */
function whole(name, text, least, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`--${name} must be a whole number from ${least} to ${most}: received ${text}`);
}

function options() {
  const text = { type: /** @type {const} */ ('string') };
  const { values } = parseArgs({
    options: {
      threads: { ...text, default: '4' },
      rounds: { ...text, default: '20000' },
      signals: { ...text, default: '1000000' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    threads: whole('threads', values.threads, 2, 64),
    rounds: whole('rounds', values.rounds, 1, 1e9),
    signals: whole('signals', values.signals, 1, 1e9),
  };
}

/** @param {string} name @param {readonly (string | number)[]} cells */
function row(name, cells) {
  return `${name.padEnd(26)}${cells.map((cell) => String(cell).padStart(18)).join('')}\n`;
}

async function main() {
  const { help, threads, rounds, signals } = options();
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  process.stdout.write(row(`${threads} threads`, ['µs per round', 'ns per signal']));
  for (const name of Object.keys(EVENTS)) {
    const kicks = await measureKicks(name, threads, rounds);
    process.stdout.write(row(name, [kicks.toFixed(1), measureSignals(name, signals).toFixed(0)]));
  }
}

try {
  await main();
} catch (failure) {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 2;
}
