import { agents } from "../support/cross-table/agents.ts";
import { liteLlm, pythonLibraries } from "../support/cross-table/clients/python-clients.ts";
import { typescriptClients } from "../support/cross-table/clients/typescript-clients.ts";
import type { ClientFacts } from "../support/cross-table/model.ts";

/** The rows of the table, in their order. A client that the tests forget shows up as unknown. */
export const allClients: readonly ClientFacts[] = [
  ...typescriptClients,
  ...[...pythonLibraries, liteLlm].flatMap(({ clients }) => clients),
  ...agents,
];
