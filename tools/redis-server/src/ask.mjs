// @ts-check
// One command to one server, without a client library.
import { connect } from 'node:net';

const ANSWER_MS = 60_000;

/**
 * @param {number} port
 * @param {...string} words
 * @returns {Promise<unknown>}
 */
export function ask(port, ...words) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    /** @param {() => void} settle */
    const end = (settle) => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(ANSWER_MS, () =>
      end(() => reject(new Error(`${words.join(' ')}: no answer within ${ANSWER_MS} ms`))),
    );
    socket.once('error', (reason) => end(() => reject(reason)));
    socket.once('connect', () =>
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`),
    );
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const parsed = parse(text, 0);
      if (parsed === undefined) return;
      const { value } = parsed;
      end(() => (value instanceof Error ? reject(new Error(`${words.join(' ')}: ${value.message}`)) : resolve(value)));
    });
  });
}

/**
 * A reply in the server's protocol, RESP2; `undefined` if it is not complete.
 * @param {string} text
 * @param {number} at
 * @returns {{ value: unknown, end: number } | undefined}
 */
function parse(text, at) {
  const line = text.indexOf('\r\n', at);
  if (line < 0) return undefined;
  const head = text.slice(at + 1, line);
  const next = line + 2;
  switch (text[at]) {
    case '+':
      return { value: head, end: next };
    case '-':
      return { value: new Error(head), end: next };
    case ':':
      return { value: Number(head), end: next };
    case '$': {
      const size = Number(head);
      if (size < 0) return { value: null, end: next };
      return text.length < next + size + 2 ? undefined : { value: text.slice(next, next + size), end: next + size + 2 };
    }
    default: {
      const values = [];
      let end = next;
      for (let i = 0; i < Number(head); i++) {
        const item = parse(text, end);
        if (item === undefined) return undefined;
        values.push(item.value);
        ({ end } = item);
      }
      return { value: values, end };
    }
  }
}
