/** Official clients read streams that reach Sluice in pieces cut at any byte, with and without a conversion. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { anthropicTypescript } from "../support/cross-table/clients/anthropic-typescript.ts";
import { googleGenai } from "../support/cross-table/clients/google-genai.ts";
import { openaiTypescript } from "../support/cross-table/clients/openai-typescript.ts";
import { checkServed } from "../support/cross-table/cross-test.ts";
import { addDialectChannels, isServed } from "../support/cross-table/dialect-channels.ts";
import { dialects } from "../support/cross-table/model.ts";
import { type ClientCell, runCell } from "../support/cross-table/run-cells.ts";
import { testSeed } from "../support/values/test-seed.ts";

const cutsEach = process.env["TEST_FULL"] === "1" ? 60 : 3;
const lineEnds = ["lf", "crlf"] as const;

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    prepare: (rig, provider) => addDialectChannels(rig, provider.url),
  });
});
afterAll(() => scene.close());

/** The ways of sending the same stream: byte by byte, then in pieces of random sizes, between comments. */
function formOf(index: number): Behaviour {
  const lineEnd = lineEnds[index % lineEnds.length] ?? "lf";
  return index === 0
    ? { splitAt: "every-byte" }
    : { splitAt: { seed: testSeed + index, bytesMax: 1 + ((index * 7) % 40) }, lineEnd, commentEvery: 1 + (index % 3) };
}

for (const client of [...openaiTypescript, ...anthropicTypescript, googleGenai]) {
  describe(client.name, () => {
    test.each(dialects.filter((channel) => isServed(client.dialect, channel)))(
      "reads text, thoughts and calls of a channel of %p whole, wherever its packets end",
      async (channel) => {
        const cell: ClientCell = { client, channel, theme: "thinking", isStream: true };
        for (let index = 0; index < cutsEach; index += 1) {
          checkServed(cell, await runCell(scene, cell, formOf(index)));
        }
      },
    );
  });
}

test("after all this the books are correct", async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
});
