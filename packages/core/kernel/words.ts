// The memory that kernel steps work on, for WebAssembly: the twin of src/kernel/words.ts. Each function becomes one
// instruction after inlining.

export function load32(address: i32): i32 {
  return atomic.load<i32>(address);
}
export function store32(address: i32, value: i32): void {
  atomic.store<i32>(address, value);
}
export function add32(address: i32, delta: i32): i32 {
  return atomic.add<i32>(address, delta);
}
export function cas32(address: i32, expected: i32, value: i32): i32 {
  return atomic.cmpxchg<i32>(address, expected, value);
}
export function exchange32(address: i32, value: i32): i32 {
  return atomic.xchg<i32>(address, value);
}
export function load64(address: i32): i64 {
  return atomic.load<i64>(address);
}
export function store64(address: i32, value: i64): void {
  atomic.store<i64>(address, value);
}
export function add64(address: i32, delta: i64): i64 {
  return atomic.add<i64>(address, delta);
}
export function cas64(address: i32, expected: i64, value: i64): i64 {
  return atomic.cmpxchg<i64>(address, expected, value);
}
export function get32(address: i32): i32 {
  return load<i32>(address);
}
export function put32(address: i32, value: i32): void {
  store<i32>(address, value);
}
export function get64(address: i32): i64 {
  return load<i64>(address);
}
export function put64(address: i32, value: i64): void {
  store<i64>(address, value);
}
export function wide(value: i32): i64 {
  return <i64>value;
}
export function pair(low: i32, high: i32): i64 {
  return ((<i64>high) << 32) | <i64>(<u32>low);
}
export function low32(value: i64): i32 {
  return <i32>value;
}
export function high32(value: i64): i32 {
  return <i32>(value >> 32);
}
export function field21(value: i64, shift: i32): i32 {
  return <i32>(value >> <i64>shift) & 0x1fffff;
}
export function shifted(value: i32, shift: i32): i64 {
  return (<i64>value) << (<i64>shift);
}
export function clamp(value: i64, most: i32): i32 {
  if (value <= 0) return 0;
  return value < <i64>most ? <i32>value : most;
}
export function toNumber(value: i64): f64 {
  return <f64>value;
}
export function fromNumber(value: f64): i64 {
  return <i64>value;
}
export function unsigned(value: i32): f64 {
  return <f64>(<u32>value);
}
export function minus(a: i64, b: i64): i64 {
  return a - b;
}
export function plus(a: i64, b: i64): i64 {
  return a + b;
}
export function times32(a: i32, b: i32): i32 {
  return a * b;
}
