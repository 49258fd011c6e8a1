// variants of a copy of 4 words after a check in WebAssembly
import { SeqLock } from '@sluice/seq-lock';
import { Region } from '@sluice/core';
const seq = SeqLock.create({ byteLength: 16 });
const snap = seq.snapshot();
const kept = new Int32Array(4), into = new Int32Array(4);
const N = 2_000_000;
class A { #s = snap; #w = kept; #v=1; load(into) { if (this.#v===-1||this.#s.refresh()) return -1; const w=this.#w; const n=w.length; if (n<17) { let i=0; if(n>=4){ into[0]=w[0];into[1]=w[1];into[2]=w[2];into[3]=w[3]; i=4; if(n>=8){into[4]=w[4]} } for(;i<n;i++) into[i]=w[i]; } return this.#v; } }
class B { #s = snap; #w = kept; #v=1; load(into) { if (this.#v===-1||this.#s.refresh()) return -1; const w=this.#w; into[3]=w[3];into[0]=w[0];into[1]=w[1];into[2]=w[2]; return this.#v; } }
class C { #s = snap; #a = 0; #b = 0; #c = 0; #d = 0; #v=1; load(into) { if (this.#v===-1||this.#s.refresh()) return -1; into[0]=this.#a;into[1]=this.#b;into[2]=this.#c;into[3]=this.#d; return this.#v; } }
const a=new A(),b=new B(),c=new C();
const loop = (o) => { return () => { let s=0; for (let i=0;i<N;i++) { o.load(into); s+=into[0]; } return s; } };
const mk = (o, n) => new Function('o','into','N', `return function ${n}(){ let s=0; for (let i=0;i<N;i++) { o.load(into); s+=into[0]; } return s; }`)(o,into,N);
const cases = { refresh: mk({load(){snap.refresh()}},'r'), A: mk(a,'a'), B: mk(b,'b'), C: mk(c,'c') };
const best = {};
for (let r = 0; r < 12; r++) for (const [k, f] of Object.entries(cases)) { const t = performance.now(); f(); const ns = (performance.now() - t) / N * 1e6; best[k] = Math.min(best[k] ?? 1e9, ns); }
console.log(Object.entries(best).map(([k, v]) => `${k} ${v.toFixed(2)}`).join('  '));
