import { createRequire } from 'node:module';
const require = createRequire(new URL('../packages/core/package.json', import.meta.url));
const binaryen = (await import(require.resolve('binaryen'))).default;
const wat = `(module (import "env" "memory" (memory 1 65536 shared))
 (func (export "empty") (result i32) (i32.const -1))
 (func (export "five") (param i32 i32 i32 i32 i32) (result i32) (i32.const -1))
 (func (export "one") (param i32) (result i32) (i32.atomic.load (local.get 0)))
 (func (export "newest") (param $tagAt i32) (param $tag i32) (param $data i32) (param $v i32) (param $era i32) (result i32)
   (if (i32.ne (i32.shr_u (i32.atomic.load (local.get $data)) (i32.const 1)) (local.get $v)) (then (return (i32.const -3))))
   (if (result i32) (i32.and (i32.eq (i32.atomic.load offset=4 (local.get $data)) (local.get $era)) (i32.eq (i32.atomic.load (local.get $tagAt)) (local.get $tag))) (then (i32.const -1)) (else (i32.const -3))))
 (func (export "xor") (param $tagAt i32) (param $tag i32) (param $data i32) (param $v i32) (param $era i32) (result i32)
   (i32.or (i32.or (i32.xor (i32.shr_u (i32.atomic.load (local.get $data)) (i32.const 1)) (local.get $v)) (i32.xor (i32.atomic.load offset=4 (local.get $data)) (local.get $era))) (i32.xor (i32.atomic.load (local.get $tagAt)) (local.get $tag))))
 (func (export "x64") (param $tagAt i32) (param $tag i32) (param $data i32) (param $v i32) (param $era i32) (result i32) (local $w i64)
   (local.set $w (i64.atomic.load (local.get $data)))
   (i32.or (i32.or (i32.xor (i32.and (i32.wrap_i64 (local.get $w)) (i32.const -2)) (local.get $v)) (i32.xor (i32.wrap_i64 (i64.shr_u (local.get $w) (i64.const 32))) (local.get $era))) (i32.xor (i32.atomic.load (local.get $tagAt)) (local.get $tag))))
 (func (export "two") (param $data i32) (param $v i32) (result i32)
   (i32.xor (i32.atomic.load (local.get $data)) (local.get $v)))
)`;
const m = binaryen.parseText(wat); m.setFeatures(binaryen.Features.Atomics); 
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });
const { exports: x } = new WebAssembly.Instance(new WebAssembly.Module(m.emitBinary()), { env: { memory } });
const shared = new Int32Array(memory.buffer, 1024, 64); const copy = new Int32Array(4); const words = 4;
class Seq { #f; #tagAt=2048; #block={tag:0}; #data=4096; constructor(f){this.#f=f;} isNewest(v,e){ return this.#f(this.#tagAt,this.#block.tag,this.#data,v,e)===-1; } }
class Snap { #s; #v=0; #e=0; constructor(s){this.#s=s;} refresh(){ if (this.#s.isNewest(this.#v,this.#e)) return false; this.#v=1; return true; } }
class Flat { #f; #tagAt=2048; #block={tag:0}; #data=4096; #v=0; #e=0; constructor(f){this.#f=f;} refresh(){ if (this.#f(this.#tagAt,this.#block.tag,this.#data,this.#v,this.#e)===-1) return false; this.#v=1; return true; } }
const snap = new Snap(new Seq(x.newest)), flat = new Flat(x.newest);
class FlatX { #f; #tagAt=2048; #block={tag:0}; #data=4096; #v=0; #e=0; constructor(f){this.#f=f;} refresh(){ if (this.#f(this.#tagAt,this.#block.tag,this.#data,this.#v,this.#e)===0) return false; this.#v=1; return true; } }
class FlatXI { #f; #tagAt=2048; #block={tag:0}; #data=4096; #v=0; #e=0; constructor(f){this.#f=f;} refresh(){ if (this.#f(this.#tagAt,this.#block.tag,this.#data,this.#v,this.#e)===0) return false; this.#v=1; return true; } }
class Two { #f; #data=4096; #v=0; constructor(f){this.#f=f;} refresh(){ if (this.#f(this.#data,this.#v)===0) return false; this.#v=1; return true; } }
class Three { #f; #data=4096; #v=0; #block={tag:0}; constructor(f){this.#f=f;} refresh(){ if (this.#f(this.#data,this.#v)===0 && this.#block.tag===0) return false; this.#v=1; return true; } }
const fx = new FlatX(x.xor), f64 = new FlatXI(x.x64), two=new Two(x.two), three=new Three(x.two);
const i32 = new Int32Array(memory.buffer);
const W = {
  plain() { for (let i=0;i<words;i++) copy[i]=shared[i]; },
  empty() { return x.empty(); }, five() { return x.five(1,2,3,4,5); }, one() { return x.one(4096); },
  snap() { return snap.refresh(); }, flat() { return flat.refresh(); },
  xor() { return fx.refresh(); }, x64() { return f64.refresh(); }, two() { return two.refresh(); }, three() { return three.refresh(); },
  aload() { return Atomics.load(i32, 1024); },
};
const mk = (f) => new Function('f','n','let s=0; for(let i=0;i<n;i++){ if (f()===true) s++; } return s;');
const loops = Object.fromEntries(Object.entries(W).map(([k,f])=>[k,mk(f)]));
const N = 1e6; const res = {};
for (let r=0;r<12;r++) for (const [k,f] of Object.entries(W)) { const t=performance.now(); loops[k](f,N); const d=(performance.now()-t)*1e6/N; if (r>2) (res[k]??=[]).push(d); }
const med = (a)=>[...a].sort((p,q)=>p-q)[a.length>>1];
console.log(process.version, Object.entries(res).map(([k,a])=>`${k} ${med(a).toFixed(1)}(${Math.min(...a).toFixed(1)})`).join('  '));
