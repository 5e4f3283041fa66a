import type { Decimal } from "@sluice/contracts/money";
import { isGroup, putImportedGroup } from "../gateway/groups/imported-groups.ts";
import { type Fraction, toPlaces, wholeFraction } from "./prices/fraction.ts";
import { readRatioMap } from "./prices/ratio-map.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";

const multiplierPlaces = 6;
const multiplierMax = 10_000n;
const one = wholeFraction(1n);
/** The group of the exit nodes. */
const reserved = "node-test";

/** The groups that users, keys and channels name, with their ratios as multipliers. */
export async function moveGroups(step: Step): Promise<void> {
  const { data, options } = step;
  const ratios = readRatioMap(data.options, "GroupRatio") ?? new Map<string, Fraction>();
  const items = await step.items("group");
  const taken = new Set([...items.values()].map(({ target }) => target));
  for (const name of groupNames(step, ratios)) {
    const ratio = ratios.get(name) ?? one;
    const { text, isExact } = toPlaces(ratio, multiplierPlaces);
    const known = items.get(name);
    const digest = digestOf({ name, text });
    if (known !== undefined && isSameDigest(known.digest, digest) && (await isGroup(step.tx, known.target))) {
      step.counts.unchanged += 1;
      continue;
    }
    if (ratio.over > multiplierMax * ratio.under) {
      step.counts.leftOut += 1;
      step.note("decide", "groups", name, `Its ratio is above ${multiplierMax}.`);
      continue;
    }
    const target = known?.target ?? freeName(name, taken);
    taken.add(target);
    const before = await putImportedGroup(step.tx, target, text as Decimal, `Moved from ${options.instance}`);
    noteGroup(step, { name, target, text, isExact, before, isOwn: known !== undefined });
    step.counts[before === null ? "made" : before === text ? "unchanged" : "changed"] += 1;
    await step.keep("group", { sourceId: name, digest, target, gatewayUserId: null, movedQuota: null });
  }
}

type MovedGroup = {
  readonly name: string;
  readonly target: string;
  readonly text: string;
  readonly isExact: boolean;
  readonly before: string | null;
  /** An earlier run has moved it. */
  readonly isOwn: boolean;
};

function noteGroup(step: Step, { name, target, text, isExact, before, isOwn }: MovedGroup): void {
  if (target !== name) {
    step.note("note", "groups", name, `It is called ${target} here.`);
  }
  if (!isExact) {
    step.note(
      "decide",
      "groups",
      name,
      `Its ratio has more than ${multiplierPlaces} places and is rounded to ${text}.`,
    );
  }
  if (before !== null && before !== text) {
    const change = `The group ${target} exists. Its multiplier changes from ${before} to ${text}`;
    // Those who are in it already pay differently, too.
    step.note(isOwn ? "note" : "decide", "groups", name, `${change}, for all accounts that are in it.`);
  }
}

function groupNames({ data }: Step, ratios: ReadonlyMap<string, Fraction>): string[] {
  const ofUsers = data.users.map(({ group }) => group);
  const ofKeys = data.keys.map(({ group }) => group);
  const ofChannels = data.channels.flatMap(({ groups }) => groups);
  return [...new Set([...ratios.keys(), ...ofUsers, ...ofKeys, ...ofChannels])].filter((name) => name !== "").sort();
}

/** The name, in the letters that names of groups have here. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 56);
  const base = plain === "" || plain === reserved ? `${plain || "group"}-moved` : plain;
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(candidate)) {
      return candidate;
    }
  }
}
