// @ts-check
import binaryen from 'binaryen';

/**
 * What a mutex cannot do without: one compare-and-swap to lock and one to unlock, of a 64-bit word, as the library's
 * are. `pairs` runs them in a loop inside WebAssembly, `lock` and `unlock` are bare exported functions.
 */
const text = `(module
  (import "env" "memory" (memory 1 1 shared))
  (func $lock (export "lock") (result i32)
    (i64.eqz (i64.atomic.rmw.cmpxchg (i32.const 128) (i64.const 0) (i64.const 7))))
  (func $unlock (export "unlock") (result i32)
    (i64.eq (i64.atomic.rmw.cmpxchg (i32.const 128) (i64.const 7) (i64.const 0)) (i64.const 7)))
  (func (export "pairs") (param $count i32)
    (loop $again
      (drop (i64.atomic.rmw.cmpxchg (i32.const 128) (i64.const 0) (i64.const 7)))
      (drop (i64.atomic.rmw.cmpxchg (i32.const 128) (i64.const 7) (i64.const 0)))
      (br_if $again (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))`;

export function create() {
  const wasm = binaryen.parseText(text);
  wasm.setFeatures(binaryen.Features.Atomics);
  return wasm.emitBinary();
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
export function open(bytes) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const { pairs, lock, unlock } = /** @type {import('./subject.mjs').Floor} */ (/** @type {unknown} */ (exports));
  return { pairs, lock, unlock };
}
