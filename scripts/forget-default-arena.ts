// Each file of tests has a copy of the core. In a process that several files share, the default arena of one copy would be
// that of the next.

for (const key of Object.getOwnPropertySymbols(globalThis)) {
  if (key.description?.startsWith('@sluice/core default arena') === true) Reflect.deleteProperty(globalThis, key);
}
