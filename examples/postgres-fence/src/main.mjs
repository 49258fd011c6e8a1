// @ts-check
// A holder that is stopped beyond its lease, and a transaction that refuses its late write: see README.md.
import { findServer, startServer } from '@sluice/postgres-server';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import process, { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const LEASE_MS = 3000;
/** Longer than the demonstration can take on a busy machine. */
const LIMIT_MS = 60_000;

const found = findServer();
if (found.kind === 'none') {
  stderr.write(`There is no Postgres server (${found.why}). Install postgresql, or set SLUICE_POSTGRES_URL.\n`);
  process.exit(2);
}
const server = found.kind === 'program' ? await startServer({ program: found }) : undefined;
const url = found.kind === 'url' ? found.url : (server?.url ?? '');
const pool = new pg.Pool({ connectionString: url });
await pool.query('DROP TABLE IF EXISTS report; CREATE TABLE report (id int PRIMARY KEY, text text)');
await pool.query("INSERT INTO report VALUES (1, '')");

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
  const [answered, ended] = [once(child, 'message'), once(child, 'exit')];
  child.send('write');
  const [{ event }] = /** @type {[{ event: string }]} */ (await answered);
  stdout.write(`${name}  ${event === 'wrote' ? 'has written' : 'is refused: a later holder has written'}\n`);
  await ended;
  return event;
}

const slow = await holder('slow');
slow.kill('SIGSTOP');
stdout.write('slow  is stopped before it writes\n');
const first = await finish(await holder('fast'), 'fast');
stdout.write('slow  goes on\n');
slow.kill('SIGCONT');
const late = await finish(slow, 'slow');

clearTimeout(limit);
/** @type {{ rows: { text: string }[] }} */
const { rows } = await pool.query('SELECT text FROM report');
await pool.end();
await server?.stop();
const text = rows[0]?.text ?? '';
const right = first === 'wrote' && late === 'refused' && text === 'fast';
stdout.write(`the database has '${text}': ${right ? 'ok' : 'WRONG'}\n`);
process.exitCode = right ? 0 : 1;
