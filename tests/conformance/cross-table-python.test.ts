/** The cross table: every client in Python, on a channel of every dialect. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { clientsOf, pythonLibraries } from "../support/cross-table/clients/python-clients.ts";
import { crossClient, logUntried } from "../support/cross-table/cross-test.ts";
import { addDialectChannels } from "../support/cross-table/dialect-channels.ts";
import { PythonClient } from "../support/cross-table/python-client.ts";
import { describeUnless } from "../support/service/obstacles.ts";
import { python, unlessPythonHas } from "../support/service/python.ts";

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    prepare: (rig, provider) => addDialectChannels(rig, provider.url),
  });
});
afterAll(() => scene.close());

for (const library of pythonLibraries) {
  const obstacle = unlessPythonHas(...library.modules);
  if (obstacle !== null) {
    logUntried(library.clients, obstacle);
  }
  describeUnless(obstacle, library.script, () => {
    let process: PythonClient;
    beforeAll(async () => {
      process = await PythonClient.start(python, library.script);
    });
    afterAll(() => process.close());
    for (const client of clientsOf(library, () => process)) {
      crossClient(client, () => scene);
    }
  });
}

test("after all this the books are correct", async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
});
