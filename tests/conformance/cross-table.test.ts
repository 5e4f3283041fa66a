/** The cross table: every client in TypeScript, on a channel of every dialect. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { typescriptClients } from "../support/cross-table/clients/typescript-clients.ts";
import { crossClient } from "../support/cross-table/cross-test.ts";
import { addDialectChannels } from "../support/cross-table/dialect-channels.ts";

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    prepare: (rig, provider) => addDialectChannels(rig, provider.url),
  });
});
afterAll(() => scene.close());

for (const client of typescriptClients) {
  crossClient(client, () => scene);
}

test("after all this the books are correct", async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
});
