import { BoundedBuffer, CountdownLatch, Region } from 'sluice';

const ROWS = 16; // of the result, for one piece of work

/** @typedef {{ data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Picture */

/**
 * Scales a picture down or up on all cores. The page stays responsive: it only awaits.
 * @param {Picture} picture
 * @param {number} width
 * @param {number} height
 * @param {number} [count] how many workers
 * @returns {Promise<Picture>}
 */
export async function resize(picture, width, height, count = navigator.hardwareConcurrency) {
  const source = Region.create(picture.data.length);
  const result = Region.create(width * height * 4);
  const pieces = Math.ceil(height / ROWS);
  const done = CountdownLatch.create(pieces);
  const rows = BoundedBuffer.create({ codec: 'int32', capacity: 64, name: 'rows' });
  source.bytes.set(picture.data);

  const sizes = { from: { width: picture.width, height: picture.height }, to: { width, height }, rows: ROWS };
  const handles = { source: source.handle, result: result.handle, queue: rows.handle, done: done.handle };
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' }),
  );
  try {
    for (const worker of workers) worker.postMessage({ ...handles, ...sizes });
    for (let row = 0; row < height; row += ROWS) await rows.pushAsync(row);
    await done.waitAsync({ timeout: 60_000 });
    return { data: new Uint8ClampedArray(result.bytes), width, height }; // a copy: a canvas takes no shared memory
  } finally {
    await rows.closeAsync(); // the workers' loops end
    for (const worker of workers) worker.terminate();
  }
}
