import { addImportedCodes } from "../payments/codes/imported-codes.ts";
import type { PeerCode } from "./model.ts";
import { quotaOfUnits } from "./quota-of-units.ts";
import { digestOf, type Step } from "./run.ts";
import { shortOf } from "./source/read-values.ts";

/** The most codes of one batch. */
const codesMax = 10_000;
/** A billion US dollars: more is a mistake. */
const quotaMax = 500_000_000_000_000n;

/**
 * The codes that nobody has used, in a batch for each name, value and end. They are moved with the last run alone: before
 * that they could be used in both places.
 */
export async function moveCodes(step: Step): Promise<void> {
  const items = await step.items("code");
  const fresh = step.data.codes.filter(({ id }) => !items.has(id));
  step.counts.unchanged += step.data.codes.length - fresh.length;
  const open = fresh.filter((code) => isMovable(step, code));
  for (const codes of batchesOf(open)) {
    await moveBatch(step, codes);
  }
}

function isMovable(step: Step, { id, quota, expiresAt }: PeerCode): boolean {
  const worth = quotaOfUnits(quota, step.data.options);
  const problem =
    expiresAt !== null && expiresAt <= new Date()
      ? "It has expired."
      : worth <= 0n
        ? "It is worth nothing."
        : worth > quotaMax
          ? "It is worth more than a code can be."
          : null;
  if (problem !== null) {
    leaveOut(step, id, problem);
  }
  return problem === null;
}

function leaveOut(step: Step, id: string, problem: string): void {
  step.counts.leftOut += 1;
  step.note("lost", "redemptions", id, problem);
}

function batchesOf(codes: readonly PeerCode[]): readonly (readonly PeerCode[])[] {
  const alike = Map.groupBy(codes, ({ name, quota, expiresAt }) => JSON.stringify([name, `${quota}`, expiresAt]));
  return [...alike.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / codesMax) }, (_, at) => all.slice(at * codesMax, (at + 1) * codesMax)),
  );
}

async function moveBatch(step: Step, codes: readonly PeerCode[]): Promise<void> {
  const [first] = codes;
  if (first === undefined) {
    return;
  }
  const { batchId, areAdded } = await addImportedCodes(step.tx, {
    name: shortOf(first.name, 100) || "Code",
    note: `Moved from ${step.options.instance}`,
    quota: quotaOfUnits(first.quota, step.data.options),
    expiresAt: first.expiresAt,
    codes: codes.map(({ code }) => code),
  });
  for (const [at, code] of codes.entries()) {
    if (batchId === null || areAdded[at] !== true) {
      leaveOut(step, code.id, "The same code exists here already; capital letters make no difference.");
      continue;
    }
    step.counts.made += 1;
    const made = { digest: digestOf(code), target: batchId.toString(), gatewayUserId: null, movedQuota: null };
    await step.keep("code", { sourceId: code.id, ...made });
  }
}
