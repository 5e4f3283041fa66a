import { expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { toUpstream } from "@sluice/control-plane/gateway/channels/model.ts";

test.each([
  ["https://generativelanguage.googleapis.com/v1beta/openai", true],
  ["https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi", true],
  ["https://aiplatform.eu.rep.googleapis.com/v1", true],
  ["https://api.openai.com/v1", false],
  ["https://googleapis.com.example.org/v1", false],
])("thoughts are looked for in the total of chat completions at %s: %p", (address, isSo) => {
  expect(toUpstream(openaiUpstream(address)).flags.thoughts_in_total).toBe(isSo);
});
