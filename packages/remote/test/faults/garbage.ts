// Bytes and messages that make no sense.

import { randomBytes } from 'node:crypto';
import { createConnection, type NetConnectOpts } from 'node:net';

const CONNECTIONS = 10;

/** Messages for sessions. The last one is longer than any that an engine sends. */
export const MESSAGES = [
  '',
  ' ',
  'x',
  '\u0001',
  '[',
  '[1,"',
  '{}',
  'granted',
  'g',
  'g x y',
  'x y',
  'e -',
  'p',
  'd',
  '9'.repeat(4000),
] as const;

/** Sends bytes that are no protocol over some connections, and ends them. */
export async function sendBytes(to: NetConnectOpts): Promise<void> {
  const starts = [
    '',
    '\r\n',
    '[1]\n',
    '["hello"]\n',
    '*3\r\n$-5\r\n',
    '\u0000\u0000\u0000\u0008\u0000\u0003\u0000\u0000',
  ];
  const send = (i: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = createConnection(to);
      // The other end may have closed it first.
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
      socket.once('connect', () => {
        socket.write(starts[i % starts.length] ?? '');
        socket.end(randomBytes(i % 2 === 0 ? 7 : 60_000));
        socket.resume();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => send(i)));
}
