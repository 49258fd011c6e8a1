// @ts-check
// Connects to a socket, says so, and does what a process that uses a space has loaded, until it is killed.
import '@sluice/local';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import process, { argv } from 'node:process';

const socket = createConnection(argv[2] ?? '');
await once(socket, 'connect');
process.send?.('connected');
// Keeps the process alive.
setInterval(() => undefined, 60_000);
