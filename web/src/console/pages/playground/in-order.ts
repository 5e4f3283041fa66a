/** Begins each work when the one before has ended, even if that failed. */
export type InOrder = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Keeps what is stored in the order in which it was asked for. Two imports of the store while it loads can end in either
 * order, so that without this an older state could replace a newer one.
 */
export function createInOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(
      () => work(),
      () => work(),
    );
    last = result;
    return result;
  };
}
