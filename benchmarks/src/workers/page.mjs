// @ts-check
// What a page of a view asks for, in a process of its own, with as little work as possible: what a browser does with a
// frame is not the program's cost. It asks while its parent says so.
import { connect } from 'node:net';
import process from 'node:process';

const { hostname, port, pathname } = new URL(process.argv[2] ?? '');
const REQUEST = `GET ${pathname}frame HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;
const socket = connect(Number(port), hostname);
let isAsking = false;
let frames = 0;
let began = 0;
let left = 0;
/** @type {NodeJS.Timeout | undefined} */
let timer;

function ask() {
  began = performance.now();
  socket.write(REQUEST);
}

socket.on('data', (part) => {
  if (left === 0) {
    // The head and the beginning of a frame come together.
    const text = part.toString('latin1');
    const body = text.indexOf('\r\n\r\n') + 4;
    const every = Number(/"every":(\d+)/.exec(text)?.[1]);
    left = Number(/content-length: (\d+)/i.exec(text)?.[1]) - (part.length - body);
    clearTimeout(timer);
    if (isAsking) timer = setTimeout(ask, Math.max(0, every - (performance.now() - began)));
  } else left -= part.length;
  if (left === 0) frames += 1;
});

process.on('message', (message) => {
  isAsking = message === 'ask';
  clearTimeout(timer);
  if (isAsking) {
    frames = 0;
    timer = setTimeout(ask, 100);
  } else process.send?.(frames);
});
process.on('disconnect', () => process.exit());
socket.once('connect', () => process.send?.('ready'));
