/** The format of Cohere's own API, which is plain but for its errors. */
import type { Dialect } from "./dialect.ts";
import { openAiDialect } from "./openai-dialect.ts";

export const cohereDialect: Dialect = {
  ...openAiDialect,
  keyErrors: {
    missing: { status: 401, message: "no api key supplied" },
    wrong: { status: 401, message: "invalid API key" },
  },
  errorBody: ({ message }, { index }) => ({ id: `sandbox-${index}`, message }),
  headers: ({ index }) => [
    ["x-api-warning", "sandbox"],
    ["x-debug-trace-id", `sandbox-${index}`],
  ],
};
