// Compresses and hashes one file. Blocks its thread. A file that cannot be read is a result, too.
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readdirSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { threadId } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { codeOf } from './list-files.mjs';

/** @typedef {{ size: number, packed: number, digest: string, packedDigest: string }} Packed bytes and their SHA-256 */
/** @typedef {{ why: string }} Skipped the code of the error */

// Does not follow a symbolic link that has replaced the file since it was listed. Windows has no such flag.
const FLAGS = platform === 'win32' ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NOFOLLOW;
const LEVEL = 6; // as the program `gzip`
const PART = '.part';
const BLOCK_BYTES = 1 << 20;
const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);

/**
 * Compresses the file block by block. A gzip file may consist of several parts, so the parts after one another are what
 * `gunzip` reads.
 * @param {Buffer} path
 * @param {string | undefined} out the directory that gets the compressed file, under the digest of the content
 * @param {() => void} betweenBlocks may throw or exit to end the work
 * @returns {Packed | Skipped}
 */
export function packFile(path, out, betweenBlocks) {
  let source;
  try {
    source = openSync(path, FLAGS);
  } catch (error) {
    return { why: codeOf(error) };
  }
  const target = out === undefined ? undefined : new Target(out);
  try {
    const hash = createHash('sha256');
    const packedHash = createHash('sha256');
    let [size, packed] = [0, 0];
    for (let read = readBlock(source); read.length > 0; read = readBlock(source)) {
      hash.update(read);
      const part = gzipSync(read, { level: LEVEL });
      packedHash.update(part);
      target?.write(part);
      size += read.length;
      packed += part.length;
      betweenBlocks();
    }
    const digest = hash.digest('hex');
    target?.finish(digest);
    return { size, packed, digest, packedDigest: packedHash.digest('hex') };
  } catch (error) {
    target?.drop();
    if (error instanceof ReadError) return { why: codeOf(error.cause) };
    throw error;
  } finally {
    closeSync(source);
  }
}

/** The file could not be read. Errors of the output directory are not of this class: they end the run. */
class ReadError extends Error {}

/** @param {number} source */
function readBlock(source) {
  try {
    return block.subarray(0, readSync(source, block));
  } catch (cause) {
    throw new ReadError('', { cause });
  }
}

/**
 * Removes what killed workers of this process have left of a file.
 * @param {string} directory
 */
export function removeParts(directory) {
  const names = readdirSync(directory).filter((name) => name.startsWith(`${process.pid}-`) && name.endsWith(PART));
  for (const name of names) rmSync(join(directory, name));
}

/**
 * A compressed file. It gets its name when it is whole, so a worker that is killed leaves no half of a file under that
 * name.
 */
class Target {
  #directory;
  #temporary;
  #file;

  /** @param {string} directory */
  constructor(directory) {
    this.#directory = directory;
    this.#temporary = join(directory, `${process.pid}-${threadId}${PART}`);
    this.#file = openSync(this.#temporary, 'w');
  }

  /** @param {Buffer} part */
  write(part) {
    for (let at = 0; at < part.length; ) at += writeSync(this.#file, part, at);
  }

  /** @param {string} digest */
  finish(digest) {
    closeSync(this.#file);
    renameSync(this.#temporary, join(this.#directory, `${digest}.gz`));
  }

  drop() {
    closeSync(this.#file);
    rmSync(this.#temporary, { force: true });
  }
}
