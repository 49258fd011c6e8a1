// @ts-check
// The platform hides SharedArrayBuffer from the start, as browsers do on pages without the two headers.
Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
const { Semaphore } = await import('@sluice/core');
try {
  Semaphore.create(1);
} catch (error) {
  const { name, message } = /** @type {Error} */ (error);
  process.stdout.write(`${name}: ${message}`);
}
