/** A host where programs of a test run. */
export type Place = {
  /** Where others reach it. */
  readonly address: string;
  /** The command, to be run there. */
  readonly on: (command: readonly string[]) => string[];
};

/** This machine, for itself alone. */
export const thisMachine: Place = { address: "127.0.0.1", on: (command) => [...command] };
