// Operations after which the victim holds something at read-write locks and mutexes, and dies without a further step.

import { suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { ownsBoth, waits, wasHanded } from '../../../mutex/test/support/crash-while-holding.ts';
import { rwScene, type RwScene } from './rw-crash-scene.ts';

function writes({ shadows, reader, writer, theirs }: RwScene): void {
  theirs.writer.lock();
  shadows.come(writer);
  shadows.come(reader);
}

function reads({ shadows, reader, writer, theirs }: RwScene): void {
  for (let times = 0; times < 2; times++) theirs.reader.lock();
  shadows.come(writer);
  shadows.come(reader);
}

function waitsOnBothSides({ shadows, reader, writer, theirs }: RwScene): void {
  shadows.take(writer);
  void together([theirs.writer.lockAsync({ ref: false }), theirs.reader.lockAsync({ ref: false })]);
  shadows.come(reader);
  shadows.come(writer);
}

function wasLetIn(side: 'reader' | 'writer', { shadows, writer, theirs }: RwScene): void {
  shadows.take(writer);
  void together([theirs[side].lockAsync({ ref: false })]);
  shadows.come(writer);
  shadows.go();
}

export const rwHoldings: readonly Operation[] = [
  suddenly('owns mutexes and writes', (stage) => {
    ownsBoth(stage);
    writes(rwScene(stage));
  }),
  suddenly('reads one lock and waits for others', (stage) => {
    reads(rwScene(stage));
    waits(stage);
    waitsOnBothSides(rwScene(stage));
  }),
  suddenly('was handed locks and did not yet know it', (stage) => {
    wasHanded(stage);
    wasLetIn('writer', rwScene(stage));
    wasLetIn('reader', rwScene(stage));
  }),
];
