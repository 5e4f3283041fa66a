/** The tests of a client: a cell of the cross table each. */
import { beforeAll, describe, expect, test } from "bun:test";
import { exactCost } from "../calls/priced-usage.ts";
import type { RelayScene } from "../calls/relay-scene.ts";
import { logCell } from "./cell-log.ts";
import { dialectChannels, isServed } from "./dialect-channels.ts";
import { type Client, type ClientFacts, type Dialect, dialects, picture, toolResult } from "./model.ts";
import { type CellOutcome, CellRuns, type ClientCell, cellsOf, describeCell, reasonAgainst } from "./run-cells.ts";
import { toUnits, toUsage } from "./scripted-turns.ts";

/** What the table says of clients that can't run here. */
export function logUntried(clients: readonly ClientFacts[], reason: string): void {
  for (const cell of clients.flatMap((client) => cellsOf(client))) {
    logCell(cell, "untried", reasonAgainst(cell) ?? reason);
  }
}

/** Declares the tests of a client. The scene is asked for when they begin. */
export function crossClient(client: Client, scene: () => RelayScene): void {
  describe(client.name, () => {
    const cells = cellsOf(client);
    const runs = new CellRuns();
    beforeAll(() => runs.run(scene(), cells));

    describe.each(dialects.map((channel) => ({ channel })))("on a channel of $channel", ({ channel }) => {
      for (const cell of cells.filter((one) => one.channel === channel)) {
        testCell(cell, runs);
      }
    });
  });
}

function testCell(cell: ClientCell, runs: CellRuns): void {
  const { client, channel, theme, isStream } = cell;
  const reason = reasonAgainst(cell);
  if (reason !== null) {
    logCell(cell, "untried", reason);
    return;
  }
  const isRefused = !isServed(client.dialect, channel);
  const name = isRefused
    ? `${describeCell(theme, isStream)}, is refused clearly and for free`
    : `${describeCell(theme, isStream)}, arrives whole, is counted and charged exactly`;
  test(name, () => {
    try {
      const outcome = runs.outcomeOf(cell);
      if (isRefused) {
        checkRefusal(outcome);
        logCell(cell, "refused", refusalText(client.dialect, channel));
      } else {
        checkServed(cell, outcome);
        logCell(cell, "served", null);
      }
    } catch (error) {
      logCell(cell, "failed", String(error).split("\n")[0] ?? "");
      throw error;
    }
  });
}

export const refusalText = (client: Dialect, channel: Dialect): string =>
  `no conversion of ${client} to ${channel}: 400, before anything is sent or charged`;

function checkRefusal({ error, turns, requests, rows }: CellOutcome): void {
  expect(turns).toEqual([]);
  expect(statusOf(error)).toBe(400);
  expect(String((error as Error).message)).toContain("can't be called through this API");
  expect(requests).toEqual([]);
  expect(rows.map(({ quota }) => quota).filter((quota) => quota > 0n)).toEqual([]);
}

/** Every client has a field of its own for it. */
function statusOf(error: unknown): unknown {
  const { status, statusCode, code, cause } = error as Readonly<Record<string, unknown>>;
  return status ?? statusCode ?? (typeof code === "number" ? code : cause === undefined ? null : statusOf(cause));
}

/** Throws unless everything has arrived, been counted and charged as the provider has said it. */
export function checkServed({ client, channel, theme, isStream }: ClientCell, outcome: CellOutcome): void {
  const { scripted, turns, error, requests, rows } = outcome;
  expect(error).toBeNull();
  expect(turns).toHaveLength(scripted.length);
  for (const [index, expected] of scripted.entries()) {
    const turn = turns[index];
    expect({ text: turn?.text, calls: turn?.calls }).toEqual({ text: expected.text, calls: [...expected.calls] });
    expect(turn?.finish).toBe(expected.calls.length > 0 ? client.finishes.calls : client.finishes.done);
    expect(toUsage(expected)).toMatchObject(turn?.usage ?? {});
    if (turn?.reasoning !== null) {
      expect(turn?.reasoning).toBe(expected.reasoning);
    }
    expect((turn?.pieces ?? 0) > 1).toBe(isStream && expected.text !== "");
  }
  for (const { target, json } of requests) {
    expect(target).toMatch(dialectChannels[channel].target);
    if (channel !== "gemini") {
      expect(json).toMatchObject({ model: dialectChannels[channel].upstreamModel });
    }
  }
  expect(requests).toHaveLength(scripted.length);
  const last = requests.at(-1)?.body.toString() ?? "";
  expect(last.includes(picture)).toBe(theme === "images");
  expect(last.includes(toolResult)).toBe(scripted.length > 1);
  expect(rows.map(({ outcome: ended, usageSource }) => [ended, usageSource])).toEqual(
    scripted.map(() => ["completed", "provider"]),
  );
  for (const [index, turn] of scripted.entries()) {
    const units = toUnits(turn);
    const row = rows[index];
    expect(row).toMatchObject(units);
    expect(row?.quota).toBe(row === undefined ? 0n : exactCost(units, row.price));
  }
}
