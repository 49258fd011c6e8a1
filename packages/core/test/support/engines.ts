// The kernels that tests run on, by the names in the tests' titles, and the kinds that their agents load.

import { jsEngine, type JsKernel } from '@sluice/core/js';
import type { AgentContext } from '../../src/agent/agent-context.ts';
import type { Engine, JsEngine } from '../../src/kernel/kernel.ts';
import type { Kind, LoadedKind } from '../../src/agent/kind.ts';

const kernels = new Set<JsKernel>();
const loaders = new Set<(context: AgentContext) => LoadedKind<never>>();

/** Adds a kind to the kernel in TypeScript, and to those that `loadKinds` loads, for all tests of this file. */
export function useKind<Steps extends object>(kind: Kind<Steps>, js: JsKernel): void {
  kernels.add(js);
  loaders.add((context) => context.load(kind) as unknown as LoadedKind<never>);
}

/** Adds a package's kernel that is no kind to the kernel in TypeScript. */
export function useJsKernel(js: JsKernel): void {
  kernels.add(js);
}

/** Loads all kinds in use. The agent can then recover any other agent. */
export function loadKinds(context: AgentContext): LoadedKind<never>[] {
  return [...loaders].map((load) => load(context));
}

/** The value of the option `engine` that makes an agent run that kernel. */
export function engineNamed(name: Engine): JsEngine | undefined {
  return name === 'js' ? jsEngine.with(...kernels) : undefined;
}
