/** Has all conversations of a client with all channels, a few at a time, and gathers what can be checked of each. */
import type { RequestRecord } from "@sluice/sandbox-provider/record/request-record";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import type { RelayScene } from "../calls/relay-scene.ts";
import type { TestUser } from "../service/sluice.ts";
import { readSettledRows, type SettledRow, waitForSettledRows } from "../usage/settled-rows.ts";
import { isServed, modelOf } from "./dialect-channels.ts";
import { type Cell, type Client, type ClientFacts, dialects, type SeenTurn, type Theme, themes } from "./model.ts";
import { type ScriptedTurn, scriptTurns, toBehaviour } from "./scripted-turns.ts";

export type ClientCell = Cell & { readonly client: Client };

/** How the conversation of a cell went. */
export type CellOutcome = {
  readonly scripted: readonly ScriptedTurn[];
  readonly turns: readonly SeenTurn[];
  /** What the client has thrown. */
  readonly error: unknown;
  /** What the provider got of it. */
  readonly requests: readonly RequestRecord[];
  readonly rows: readonly SettledRow[];
};

const atOnce = 6;

export function cellsOf<Of extends ClientFacts>(client: Of): readonly (Cell & { readonly client: Of })[] {
  return dialects.flatMap((channel) =>
    themes.flatMap((theme) => [false, true].map((isStream) => ({ client, channel, theme, isStream }))),
  );
}

/** Why a cell has no conversation, or null. */
export function reasonAgainst({ client: { cannot = {} }, theme, isStream }: Cell): string | null {
  return cannot[theme] ?? (isStream ? null : cannot.whole) ?? null;
}

export class CellRuns {
  readonly #outcomes = new Map<string, CellOutcome>();

  /** Rejects only if something else than the client fails. */
  async run(scene: RelayScene, cells: readonly ClientCell[]): Promise<void> {
    const queue = cells.filter((cell) => reasonAgainst(cell) === null);
    const workers = Array.from({ length: atOnce }, async () => {
      for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
        this.#outcomes.set(keyOf(cell), await runCell(scene, cell));
      }
    });
    await Promise.all(workers);
  }

  outcomeOf(cell: Cell): CellOutcome {
    const outcome = this.#outcomes.get(keyOf(cell));
    if (outcome === undefined) {
      throw new Error(`${keyOf(cell)} was not tried`);
    }
    return outcome;
  }
}

const keyOf = ({ client, channel, theme, isStream }: Cell): string =>
  `${client.name} ${channel} ${theme} ${isStream ? "stream" : "whole"}`;

/** @param form what is odd about the form of the provider's responses, and changes nothing of what they say */
export async function runCell(
  scene: RelayScene,
  { client, channel, theme, isStream }: ClientCell,
  form: Behaviour = {},
): Promise<CellOutcome> {
  const user = await scene.rig.addUser();
  // By this word the provider knows the calls of this conversation among the others.
  const mark = `conversation-${user.gatewayUserId}.`;
  const scripted = scriptTurns(theme, channel);
  scene.provider.script(
    scripted.map((turn, index) => ({ ...toBehaviour(turn, index), ...form })),
    { match: { bodyIncludes: mark } },
  );
  const ask = {
    ...{ origin: scene.sluice.url, apiKey: user.apiKey, model: modelOf(client.family, channel) },
    ...{ prompt: `How is the weather? This is ${mark}`, theme, isStream },
  };
  let turns: readonly SeenTurn[] = [];
  let error: unknown = null;
  try {
    turns = await client.converse(ask);
  } catch (thrown) {
    error = thrown;
  }
  const rows = await rowsOf(scene, user, isServed(client.dialect, channel) && error === null ? scripted.length : 0);
  const requests = scene.provider.requests.filter(({ body }) => body.includes(mark));
  return { scripted, turns, error, requests, rows };
}

const rowsOf = (scene: RelayScene, { gatewayUserId }: TestUser, count: number): Promise<SettledRow[]> =>
  count === 0 ? readSettledRows(scene.rig.db, gatewayUserId) : waitForSettledRows(scene.rig.db, gatewayUserId, count);

/** How a cell is called in the names of tests. */
export const describeCell = (theme: Theme, isStream: boolean): string => `${theme}, ${isStream ? "streamed" : "whole"}`;
