/** The cross table: LiteLLM as a client. It wants other versions of the packages than the rest, and so a liteLlmEnvironment of its own. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { clientsOf, liteLlm } from "../support/cross-table/clients/python-clients.ts";
import { crossClient, logUntried } from "../support/cross-table/cross-test.ts";
import { addDialectChannels } from "../support/cross-table/dialect-channels.ts";
import { PythonClient } from "../support/cross-table/python-client.ts";
import { describeUnless, unlessFull } from "../support/service/obstacles.ts";
import { liteLlmEnvironment } from "../support/service/python-environment.ts";

const obstacle = unlessFull ?? liteLlmEnvironment.install();
if (obstacle !== null) {
  logUntried(liteLlm.clients, obstacle);
}

describeUnless(obstacle, liteLlm.script, () => {
  let scene: RelayScene;
  let process: PythonClient;

  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      prepare: (rig, provider) => addDialectChannels(rig, provider.url),
    });
    process = await PythonClient.start(liteLlmEnvironment.python, liteLlm.script);
  });
  afterAll(async () => {
    await process.close();
    await scene.close();
  });

  for (const client of clientsOf(liteLlm, () => process)) {
    crossClient(client, () => scene);
  }

  test("after all this the books are correct", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
