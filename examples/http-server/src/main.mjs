// Starts the server, and ends it on Ctrl-C or SIGTERM.
import { availableParallelism } from 'node:os';
import process, { argv, exit } from 'node:process';
import { parseArgs } from 'node:util';
import { Service } from './service.mjs';

const HELP = `Usage: node src/main.mjs [options]

  --port N      0 for any free port (default: 8080)
  --workers N   1 to 64 (default: one per core)
  --queue N     requests that may wait beside the running ones (default: 16)
  --timeout MS  from a request to its answer (default: 2000)
  --grace MS    at the end, for requests that have begun (default: 5000)
  --chaos       clients may kill workers
  --help        show this
`;

function readOptions() {
  try {
    return parseArgs({
      args: argv.slice(2),
      options: {
        port: { type: 'string', default: '8080' },
        workers: { type: 'string', default: String(availableParallelism()) },
        queue: { type: 'string', default: '16' },
        timeout: { type: 'string', default: '2000' },
        grace: { type: 'string', default: '5000' },
        chaos: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return exit(2);
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function readCount(name, text, least, most) {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  console.error(`--${name} must be a whole number from ${least} to ${most}: received ${JSON.stringify(text)}`);
  return exit(2);
}

const values = readOptions();
if (values.help) {
  console.log(HELP);
  exit(0);
}
const service = new Service({
  workers: readCount('workers', values.workers, 1, 64),
  queue: readCount('queue', values.queue, 0, 65_536),
  timeoutMs: readCount('timeout', values.timeout, 1, 600_000),
  graceMs: readCount('grace', values.grace, 0, 600_000),
  chaos: values.chaos,
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    void service.close().then(() => console.log('closed'));
  });
}
try {
  console.log(`http://127.0.0.1:${await service.listen(readCount('port', values.port, 0, 65_535))}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  await service.close();
  process.exitCode = 1;
}
