/** The cross table: every agent, with sessions of a few turns on a channel of every dialect. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { type Agent, agents } from "../support/cross-table/agents.ts";
import { logCell } from "../support/cross-table/cell-log.ts";
import { logUntried, refusalText } from "../support/cross-table/cross-test.ts";
import { addDialectChannels, dialectChannels, isServed, modelOf } from "../support/cross-table/dialect-channels.ts";
import { type Cell, picture } from "../support/cross-table/model.ts";
import { cellsOf, describeCell, reasonAgainst } from "../support/cross-table/run-cells.ts";
import { type ScriptedTurn, scriptTurns, toBehaviour, toUnits } from "../support/cross-table/scripted-turns.ts";
import { describeUnless, unlessFull } from "../support/service/obstacles.ts";
import type { TestUser } from "../support/service/sluice.ts";
import { readSettledRows, recomputedCost, type SettledRow } from "../support/usage/settled-rows.ts";

const sessionMsMax = 120_000;
const outputs = ["one at noon", "two at night"];

let scene: RelayScene;

function testAgent(agent: Agent): void {
  for (const cell of cellsOf(agent)) {
    const reason = reasonAgainst(cell);
    const isRefused = !isServed(agent.dialect, cell.channel);
    if (reason !== null) {
      logCell(cell, "untried", reason);
    } else if (isRefused && cell.theme !== "text") {
      logCell(cell, "untried", "this channel has refused it with a text already");
    } else {
      testSession(agent, cell, isRefused);
    }
  }
}

function testSession(agent: Agent, cell: Cell, isRefused: boolean): void {
  const promise = isRefused ? "ends with a clear error, for free" : "has its session and is charged exactly";
  test(
    `${describeCell(cell.theme, cell.isStream)}, on a channel of ${cell.channel}, ${promise}`,
    async () => {
      try {
        await (isRefused ? refuseSession(agent, cell) : haveSession(agent, cell));
        logCell(cell, isRefused ? "refused" : "served", isRefused ? refusalText(agent.dialect, cell.channel) : null);
      } catch (error) {
        logCell(cell, "failed", String(error).split("\n")[0] ?? "");
        throw error;
      }
    },
    sessionMsMax,
  );
}

/** A user of their own, and the word by which the provider knows the session among others. */
async function beginSession(agent: Agent, { channel, theme, isStream }: Cell) {
  const user = await scene.rig.addUser();
  const mark = `session-${user.gatewayUserId}.`;
  const model = modelOf(agent.family, channel);
  const prompt = `How is the weather? This is ${mark}`;
  const ask = { origin: scene.sluice.url, apiKey: user.apiKey, model, prompt, theme, isStream };
  return { user, mark, ask };
}

async function refuseSession(agent: Agent, cell: Cell): Promise<void> {
  const { user, mark, ask } = await beginSession(agent, cell);
  const { errors } = await agent.session(ask);
  expect(errors.join("\n")).toContain("can't be called through this API");
  expect(scene.provider.requests.filter(({ body }) => body.includes(mark))).toEqual([]);
  const [used] = await scene.rig.db.sql<{ used: bigint }>`
    select used from budget where id = ${user.budgetId}::bigint`;
  expect(used?.used).toBe(0n);
}

/** The calls of the session, and the text at its end; agents send so much that every count is plausible. */
function scriptSession(agent: Agent, { channel, theme }: Cell): readonly ScriptedTurn[] {
  const [last] = scriptTurns("text", channel).slice(-1);
  const [first] = scriptTurns(theme === "thinking" || agent.isThinking === true ? "thinking" : "tools", channel);
  if (last === undefined || first === undefined) {
    throw new Error("nothing is scripted");
  }
  const call = (one: { name: string; arguments: Readonly<Record<string, string>> }) => ({ ...first, calls: [one] });
  switch (theme) {
    case "text":
      return [last];
    case "images":
      return agent.look === undefined ? [last] : [call(agent.look("a.png")), last];
    default:
      // Each turn has counts of its own, by which its row is found.
      return [...outputs.map((output, index) => withMore(call(agent.shell(`echo ${output}`)), index)), last];
  }
}

const withMore = (turn: ScriptedTurn, completion: number): ScriptedTurn => ({
  ...turn,
  tokens: { ...turn.tokens, completion: turn.tokens.completion + completion },
});

async function haveSession(agent: Agent, cell: Cell): Promise<void> {
  const { user, mark, ask } = await beginSession(agent, cell);
  const scripted = scriptSession(agent, cell);
  // Agents also ask for titles and the like, without tools.
  const isTurn = ({ body }: { readonly body: Buffer | null }): boolean =>
    body?.includes(mark) === true && body.includes('"tools"');
  scene.provider.script(scripted.map(toBehaviour), { match: isTurn });
  const { text, errors } = await agent.session(ask);
  expect({ text, errors }).toEqual({ text: scripted.at(-1)?.text ?? null, errors: [] });
  const requests = scene.provider.requests.filter(isTurn);
  expect(requests).toHaveLength(scripted.length);
  for (const { target } of requests) {
    expect(target).toMatch(dialectChannels[cell.channel].target);
  }
  const last = requests.at(-1)?.body.toString() ?? "";
  const isShown = cell.theme === "tools" || cell.theme === "thinking";
  expect(outputs.map((output) => last.includes(output))).toEqual(outputs.map(() => isShown));
  expect(last.includes(picture)).toBe(cell.theme === "images");
  await checkRows(user, scripted);
}

async function checkRows({ gatewayUserId }: TestUser, scripted: readonly ScriptedTurn[]): Promise<void> {
  // Agents also count tokens, which is free, so the number of rows is theirs to choose.
  const isThere = (rows: readonly SettledRow[], turn: ScriptedTurn): boolean =>
    rows.some((row) => row.usageSource === "provider" && Bun.deepMatch(toUnits(turn), row));
  await waitUntil(async () => {
    const rows = await readSettledRows(scene.rig.db, gatewayUserId);
    return rows.length >= scripted.length && scripted.every((turn) => isThere(rows, turn));
  });
  for (const row of await readSettledRows(scene.rig.db, gatewayUserId)) {
    expect([row.outcome, row.quota]).toEqual(["completed", recomputedCost(row)]);
  }
}

describeUnless(unlessFull, "agents", () => {
  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      prepare: (rig, provider) => addDialectChannels(rig, provider.url),
    });
  });
  afterAll(() => scene.close());

  for (const agent of agents) {
    // An agent is only installed where it will run.
    const obstacle = unlessFull ?? agent.program.install();
    if (obstacle !== null) {
      logUntried([agent], obstacle);
    }
    describeUnless(obstacle, agent.name, () => testAgent(agent));
  }

  test("after all this the books are correct", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
