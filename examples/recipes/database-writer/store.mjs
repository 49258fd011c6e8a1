// A store that one thread writes. SQLite where Node.js has it (22.13 and newer), else a file with one row a line.
import { appendFileSync, readFileSync } from 'node:fs';

/** @typedef {{ worker: number, value: number }} Row */
/** @typedef {{ writeMany: (rows: readonly Row[]) => void, count: () => number, close: () => void }} Store */

/**
 * @param {string} path
 * @returns {Promise<Store>}
 */
async function openDatabase(path) {
  // @ts-expect-error The types are those of Node.js 20, which has no SQLite.
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE IF NOT EXISTS measurement (worker INTEGER, value REAL)');
  const insert = database.prepare('INSERT INTO measurement VALUES (?, ?)');
  return {
    writeMany: (rows) => {
      database.exec('BEGIN'); // one transaction for all that is there: a commit waits for the disk
      for (const { worker, value } of rows) insert.run(worker, value);
      database.exec('COMMIT');
    },
    count: () => Number(database.prepare('SELECT count(*) AS rows FROM measurement').get()?.['rows']),
    close: () => database.close(),
  };
}

/**
 * @param {string} path
 * @returns {Store}
 */
const openFile = (path) => ({
  writeMany: (rows) => appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  count: () => readFileSync(path, 'utf8').trimEnd().split('\n').length,
  close: () => undefined,
});

/** @param {string} path */
export const openStore = (path) => openDatabase(path).catch(() => openFile(path));
