/** The cross table: every client in TypeScript, on a channel of every dialect. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { aiSdk } from "../support/cross-table/clients/ai-sdk.ts";
import { anthropicTypescript } from "../support/cross-table/clients/anthropic-typescript.ts";
import { googleGenai } from "../support/cross-table/clients/google-genai.ts";
import { langchainTypescript } from "../support/cross-table/clients/langchain-typescript.ts";
import { openaiTypescript } from "../support/cross-table/clients/openai-typescript.ts";
import { crossClient } from "../support/cross-table/cross-test.ts";
import { addDialectChannels } from "../support/cross-table/dialect-channels.ts";

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    prepare: (rig, provider) => addDialectChannels(rig, provider.url),
  });
});
afterAll(() => scene.close());

for (const client of [...openaiTypescript, ...anthropicTypescript, ...aiSdk, ...langchainTypescript, googleGenai]) {
  crossClient(client, () => scene);
}

test("after all this the books are correct", async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
});
