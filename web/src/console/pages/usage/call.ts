import type { usageListResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { Tone } from "../../../kit/status.tsx";

export type Call = ResponseOf<typeof usageListResponse>["rows"][number];

export const outcomeTones: Readonly<Record<Call["outcome"], Tone>> = {
  completed: "ok",
  aborted: "warn",
  failed: "bad",
  refused: "warn",
};
