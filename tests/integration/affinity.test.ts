/** A conversation that its client names stays at the channel that answered it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { FaultRig } from "../support/calls/fault-rig.ts";

let faulty: FaultRig;

beforeAll(async () => {
  faulty = await FaultRig.create();
  const names = ["a", "b", "c", "d", "e", "f"];
  await faulty.addModel(
    "talk",
    names.map((name) => ({ name: `talk-${name}`, priority: 0 })),
  );
  await faulty.start("one-process");
});

afterAll(async () => {
  await faulty.waitUntilReleased();
  expect(await faulty.rig.checkMoney()).toEqual([]);
  await faulty.close();
});

const channelsOf = async (count: number, body: object, headers: readonly string[] = []): Promise<Set<string>> => {
  const channels = new Set<string>();
  for (let turn = 0; turn < count; turn += 1) {
    const answer = await faulty.call("talk", body, { headers });
    const { attempts } = await faulty.row(answer.requestId);
    channels.add(attempts.at(-1)?.channel ?? "none");
  }
  return channels;
};

test.each([
  ["the key of its prompt cache", { prompt_cache_key: "conversation 1" }, []],
  ["the header of Codex", {}, ["session-id: conversation 2"]],
  ["the header of Claude Code", {}, ["x-claude-code-session-id: conversation 3"]],
])("by %s, for all of its turns, and elsewhere when that fails", async (_what, body, headers) => {
  const [first, ...others] = await channelsOf(8, body, headers);
  expect(others).toEqual([]);
  faulty.provider.script({ status: 500 }, { match: { credential: `upstream-${first}` } });
  const [second, ...more] = await channelsOf(8, body, headers);
  expect(more).toEqual([]);
  expect(second).not.toBe(first);
});

test("calls without a name are divided", async () => {
  expect((await channelsOf(24, {})).size).toBeGreaterThan(1);
});
