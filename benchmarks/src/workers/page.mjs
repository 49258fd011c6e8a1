// @ts-check
// What a page of a view asks for, in a process of its own, without a browser. It asks while its parent says so.
import { request, Agent } from 'node:http';
import process from 'node:process';

const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let isAsking = false;
let frames = 0;

function ask() {
  if (!isAsking) return;
  const began = performance.now();
  request(`${url}frame`, { agent }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => (text += part));
    response.once('end', () => {
      frames += 1;
      const { every } = JSON.parse(text);
      setTimeout(ask, Math.max(0, every - (performance.now() - began)));
    });
  }).end();
}

process.on('message', (message) => {
  if (message === 'ask') {
    isAsking = true;
    frames = 0;
    ask();
  } else {
    isAsking = false;
    process.send?.(frames);
  }
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
