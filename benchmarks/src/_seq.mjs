// how fast are possible reads of 16 bytes?
import { SeqLock } from '@sluice/seq-lock';
import { Region } from '@sluice/core';
const seq = SeqLock.create({ byteLength: 16 });
const value = seq.read();
const region = Region.create(20).int32;
const own = new Int32Array(4);
const N = 2_000_000;
const plain = () => { let s = 0; for (let i = 0; i < N; i++) { own[0] = region[0]; own[1] = region[1]; own[2] = region[2]; own[3] = region[3]; s += own[0]; } return s; };
const read = () => { let s = 0; for (let i = 0; i < N; i++) { s += seq.read(value).int32[0]; } return s; };
const snap = seq.snapshot();
const refresh = () => { let s = 0; for (let i = 0; i < N; i++) { snap.refresh(); s += snap.int32[0]; } return s; };
const atomics2 = () => { let s = 0; for (let i = 0; i < N; i++) { const a = Atomics.load(region, 4); own[0] = region[0]; own[1] = region[1]; own[2] = region[2]; own[3] = region[3]; if (Atomics.load(region, 4) !== a) throw 1; s += own[0]; } return s; };
const oneLoad = () => { let s = 0; for (let i = 0; i < N; i++) { s += Atomics.load(region, 4); } return s; };
const cases = { plain, read, refresh, atomics2, oneLoad };
const best = {};
for (let r = 0; r < 12; r++) for (const [k, f] of Object.entries(cases)) { const t = performance.now(); f(); const ns = (performance.now() - t) / N * 1e6; best[k] = Math.min(best[k] ?? 1e9, ns); }
console.log(process.version, Object.entries(best).map(([k, v]) => `${k} ${v.toFixed(1)} (${(v / best.plain).toFixed(2)})`).join('  '));
