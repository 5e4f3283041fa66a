import type { usageListAnswer } from "@sluice/contracts/usage";
import type { AnswerOf } from "@sluice/contracts/wire";
import type { Tone } from "../../../kit/status.tsx";

export type Call = AnswerOf<typeof usageListAnswer>["rows"][number];

export const outcomeTones: Readonly<Record<Call["outcome"], Tone>> = {
  completed: "ok",
  aborted: "warn",
  failed: "bad",
  refused: "warn",
};
