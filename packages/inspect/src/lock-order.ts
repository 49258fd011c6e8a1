// The entry '@sluice/inspect/lock-order', for Node.js: loading it in a thread checks the order of the locks of that
// thread, and of the threads that inherit the option
// (docs/decisions/196-the-order-of-locks-is-checked-by-class-in-shared-memory.md).
//
// It is one module with the package's main entry: a thread has one set of tools.

import { startOrderChecks } from './index.ts';

const { process } = globalThis as { readonly process?: { readonly env: Readonly<Record<string, string | undefined>> } };
if (!['', '0'].includes(process?.env['SLUICE_LOCK_ORDER'] ?? '1')) startOrderChecks();
