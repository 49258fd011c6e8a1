'use client';

import { useEffect, useState } from 'react';
import { sum } from '../src/sum.js';

export default function Page() {
  const [text, setText] = useState('');
  // Effects run in the browser alone, where there are workers.
  useEffect(() => {
    sum().then(setText, (failure) => setText(`failed: ${failure}`));
  }, []);
  return <output>{text}</output>;
}
