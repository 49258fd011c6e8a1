// Messages on a socket: four bytes with the length, then JSON.

import type { Socket } from 'node:net';

/** The longest message in bytes: the value of a lazy, 16 MiB, as text. */
export const MAX_FRAME = 2 ** 25;
const HEAD = 4;

/** Returns the bytes of one message. */
export function frameOf(message: readonly unknown[]): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEAD + length);
  bytes.writeUInt32BE(length);
  bytes.write(text, HEAD);
  return bytes;
}

/** Takes messages out of a stream of bytes. */
export class Frames {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** The bytes that are needed before there is anything to read. */
  #needed = HEAD;

  /** Returns the messages that are complete. Throws `RangeError` or `SyntaxError` for bytes that are no messages. */
  take(chunk: Buffer): unknown[][] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: unknown[][] = [];
    while (this.#bytes >= this.#needed) {
      // Joined only when they are needed: a long message comes in many chunks.
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      const length = all.readUInt32BE();
      if (length > MAX_FRAME) throw new RangeError(`a message of ${length} bytes`);
      this.#needed = HEAD + length;
      const isComplete = all.length >= this.#needed;
      if (isComplete) messages.push(messageIn(all.toString('utf8', HEAD, this.#needed)));
      const rest = isComplete ? all.subarray(this.#needed) : all;
      if (isComplete) this.#needed = HEAD;
      this.#chunks.length = 0;
      if (rest.length > 0) this.#chunks.push(rest);
      this.#bytes = rest.length;
    }
    return messages;
  }
}

function messageIn(text: string): unknown[] {
  const message: unknown = JSON.parse(text);
  if (!Array.isArray(message)) throw new RangeError('a message that is no list');
  return message;
}

/** Calls `onMessages` for the messages of each chunk, and `onGarbage` once for bytes that are no messages. */
export function readFrames(
  socket: Socket,
  onMessages: (messages: unknown[][]) => void,
  onGarbage: (why: string) => void,
): void {
  const frames = new Frames();
  socket.on('data', (chunk: Buffer) => {
    let messages: unknown[][];
    try {
      messages = frames.take(chunk);
    } catch (failure) {
      socket.removeAllListeners('data');
      return onGarbage(failure instanceof Error ? failure.message : String(failure));
    }
    if (messages.length > 0) onMessages(messages);
  });
}
