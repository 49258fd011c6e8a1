import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import type { Mutant } from '../../core/test/model/mutants.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';
import { tableCases, tableDeathCases } from './model/table-cases.ts';
import type { TableCore } from './model/table-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

async function withMutant(mutant: Mutant): Promise<TableCore> {
  return (await mutate(mutant, ENTRY)) as unknown as TableCore;
}

testMutants('table of names', MUTANTS, async (mutant) => tableCases(await withMutant(mutant)));
testMutants('table of names, death', DEATH_MUTANTS, async (mutant) => tableDeathCases(await withMutant(mutant)));
