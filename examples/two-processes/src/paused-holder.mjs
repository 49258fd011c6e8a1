// @ts-check
// A holder that is stopped beyond its lease, and a database that refuses its late write: see README.md.
import { findServer, startServer } from '@sluice/redis-server';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import initSqlJs from 'sql.js';

const LEASE_MS = 3000;
/** Longer than the demonstration can take on a busy machine. */
const LIMIT_MS = 60_000;

/** The statement of the README of @sluice/redis. */
const WRITE = 'UPDATE report SET text = $1, token = $2 WHERE id = $3 AND token <= $2';

const SQL = await initSqlJs();
const database = new SQL.Database();
database.run(
  "CREATE TABLE report (id INTEGER PRIMARY KEY, text TEXT, token BIGINT NOT NULL DEFAULT 0); INSERT INTO report (id, text) VALUES (1, '')",
);

/** Returns how many rows were written. @param {string} text @param {string} token */
function write(text, token) {
  database.run(WRITE, { $1: text, $2: token, $3: 1 });
  return database.getRowsModified();
}

const found = findServer();
if (found.kind === 'none') {
  stderr.write(
    `There is no Redis server (${found.why}). Install redis-server or valkey-server, or set SLUICE_REDIS_URL.\n`,
  );
  process.exit(2);
}
const server = found.kind === 'program' ? await startServer({ program: found }) : undefined;
const url = found.kind === 'url' ? found.url : (server?.url ?? '');
const program = fileURLToPath(new URL('writer.mjs', import.meta.url));
/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
const limit = setTimeout(() => {
  stderr.write('WRONG: the demonstration took too long\n');
  for (const child of children) child.kill('SIGKILL');
  process.exit(1);
}, LIMIT_MS);

/** Starts a process and waits until it holds the mutex. @param {string} name */
async function holder(name) {
  const child = fork(program, [url, name, String(LEASE_MS)]);
  children.push(child);
  const [{ token }] = /** @type {[{ token: string }]} */ (await once(child, 'message'));
  stdout.write(`${name}  holds the mutex, token ${token}\n`);
  return child;
}

/** Lets a holder write. @param {import('node:child_process').ChildProcess} child @param {string} name */
async function finish(child, name) {
  const asked = once(child, 'message');
  child.send('write');
  const [{ token }] = /** @type {[{ token: string }]} */ (await asked);
  const rows = write(name, token);
  stdout.write(`${name}  wrote '${name}': ${rows === 1 ? '1 row' : '0 rows, refused: a later holder has written'}\n`);
  const ended = once(child, 'exit');
  child.send('done');
  await ended;
  return rows;
}

const slow = await holder('slow');
slow.kill('SIGSTOP');
stdout.write('slow  is stopped before it writes\n');
const first = await finish(await holder('fast'), 'fast');
stdout.write('slow  goes on\n');
slow.kill('SIGCONT');
const late = await finish(slow, 'slow');

clearTimeout(limit);
await server?.stop();
const text = database.exec('SELECT text FROM report')[0]?.values[0]?.[0];
const right = first === 1 && late === 0 && text === 'fast';
stdout.write(`the database has '${String(text)}': ${right ? 'ok' : 'WRONG'}\n`);
process.exitCode = right ? 0 : 1;
