// Inputs of a stream or a map that never end.

/** Makes endless inputs, and records how many were read and whether `return` was called. */
export class Endless {
  asked = 0;
  returned = false;

  *[Symbol.iterator](): Generator<number> {
    try {
      for (;;) yield (this.asked += 1);
    } finally {
      this.returned = true;
    }
  }
}
