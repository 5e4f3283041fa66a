import type { Finding, PeerUsage } from "../model.ts";
import { wholeFraction } from "../prices/fraction.ts";
import type { Row } from "../source/model.ts";
import { OddValue, shortOf, textOf, useOf, wholeOf } from "../source/read-values.ts";
import type { ReadRows } from "./model.ts";
import { nobody } from "./read-users.ts";
import { decimalOf, quotaOfParts, usdParts } from "./usd.ts";

const modelLengthMax = 200;
/** More would not fit into memory. */
const sumsMax = 2_000_000;
const dayText = /^\d{4}-\d\d-\d\d$/;

type Sum = Omit<PeerUsage, "quota"> & { readonly parts: bigint };

/**
 * What each user has used by day and model. The sums that the program keeps by team, tag and end user count the same
 * calls again.
 * @returns null if there are more sums than can be kept
 */
export async function readDailyUsage(read: ReadRows, findings: Finding[]): Promise<readonly PeerUsage[] | null> {
  const sums = new Map<string, Sum>();
  await read("LiteLLM_DailyUserSpend", (row) => {
    const part = partOf(row);
    const key = JSON.stringify([part.userId, part.day, part.model]);
    const sum = sums.get(key);
    if (sum !== undefined || sums.size <= sumsMax) {
      sums.set(key, sum === undefined ? part : added(sum, part));
    }
    return null;
  });
  if (sums.size > sumsMax) {
    const text = `It has more than ${sumsMax} sums by user, day and model, so the history of calls is not moved.`;
    findings.push({ level: "lost", table: "DailyUserSpend", id: "all rows", text });
    return null;
  }
  return [...sums.values()].map(({ parts, ...sum }) => ({ ...sum, quota: quotaOfParts(parts) }));
}

function partOf(row: Row): Sum {
  const day = textOf(row["date"]);
  if (!dayText.test(day) || Number.isNaN(Date.parse(day))) {
    throw new OddValue("its date is not a day");
  }
  const parts = usdParts(decimalOf(row["spend"]) ?? wholeFraction(0n));
  useOf(quotaOfParts(parts));
  return {
    userId: textOf(row["user_id"]) || nobody,
    day,
    model: shortOf(textOf(row["model_group"]) || row["model"], modelLengthMax),
    calls: useOf(row["successful_requests"]),
    inputTokens: useOf(row["prompt_tokens"]),
    outputTokens: useOf(row["completion_tokens"]),
    parts,
  };
}

function added(sum: Sum, part: Sum): Sum {
  const parts = sum.parts + part.parts;
  // Where it can still be told which row was too much.
  quotaOfParts(parts);
  return {
    ...sum,
    calls: wholeOf(sum.calls + part.calls),
    inputTokens: wholeOf(sum.inputTokens + part.inputTokens),
    outputTokens: wholeOf(sum.outputTokens + part.outputTokens),
    parts,
  };
}
