import { addImportedCodes } from "../payments/codes/imported-codes.ts";
import type { PeerCode } from "./model.ts";
import { quotaOfUnits } from "./quota-of-units.ts";
import { digestOf, type Step } from "./run.ts";

/** The most codes of one batch. */
const codesMax = 10_000;

/**
 * The codes that nobody has used, in a batch for each name, value and end. They are moved with the last run alone: before
 * that they could be used in both places.
 */
export async function moveCodes(step: Step): Promise<void> {
  const items = await step.items("code");
  const open = step.data.codes.filter(
    ({ id, expiresAt }) => !items.has(id) && (expiresAt === null || expiresAt > new Date()),
  );
  step.counts.unchanged += step.data.codes.filter(({ id }) => items.has(id)).length;
  for (const codes of batchesOf(open)) {
    await moveBatch(step, codes);
  }
}

function batchesOf(codes: readonly PeerCode[]): readonly (readonly PeerCode[])[] {
  const alike = Map.groupBy(codes, ({ name, quota, expiresAt }) => JSON.stringify([name, `${quota}`, expiresAt]));
  return [...alike.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / codesMax) }, (_, at) => all.slice(at * codesMax, (at + 1) * codesMax)),
  );
}

async function moveBatch(step: Step, codes: readonly PeerCode[]): Promise<void> {
  const [first] = codes;
  const quota = first === undefined ? 0n : quotaOfUnits(first.quota, step.data.options);
  if (first === undefined || quota <= 0n) {
    step.counts.leftOut += codes.length;
    return;
  }
  const batchId = await addImportedCodes(step.tx, {
    name: first.name.slice(0, 100) || "Code",
    note: `Moved from ${step.options.instance}`,
    quota,
    expiresAt: first.expiresAt,
    codes: codes.map(({ code }) => code),
  });
  step.counts.made += codes.length;
  for (const code of codes) {
    const target = batchId.toString();
    await step.keep("code", {
      sourceId: code.id,
      digest: digestOf(code),
      target,
      gatewayUserId: null,
      movedQuota: null,
    });
  }
}
