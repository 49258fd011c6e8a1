// @ts-check
// The main thread awaits a word, and a timer keeps it alive.
const words = new Int32Array(new SharedArrayBuffer(4));

async function awaitReply() {
  const { value } = Atomics.waitAsync(words, 0, 0);
  await value;
}

setInterval(() => undefined, 3_600_000);
void awaitReply();
console.log('awaits');
