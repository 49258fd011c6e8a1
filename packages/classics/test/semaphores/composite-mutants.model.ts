import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import { BOX_MUTANTS, LANE_MUTANTS } from './model/composite-mutants.ts';
import type { CompositeCore } from './model/composite-world.ts';
import { lightweightCases } from './model/lightweight-cases.ts';
import { multilaneCases } from './model/multilane-cases.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

for (const [what, mutants, casesOf] of [
  ['lightweight', BOX_MUTANTS, lightweightCases],
  ['multilane', LANE_MUTANTS, multilaneCases],
] as const) {
  testMutants(what, mutants, async (mutant) => casesOf(await mutate<CompositeCore>(mutant, ENTRY)));
}
