import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ArmName, armNames, type GivenArmName, givenArmNames, relayArmNames } from "./arm.ts";
import { conversionScenarios, type Scenario, scenarios } from "./scenarios.ts";

export type Options = {
  readonly rounds: number;
  readonly arms: readonly ArmName[];
  readonly scenarios: readonly Scenario[];
  /** Calls of each arm before its first round of JSON calls. */
  readonly warmCalls: number;
  /** Streams of each arm before its first round of streams. */
  readonly warmStreams: number;
  /** Overrides the measured time of every scenario. */
  readonly seconds: number | null;
  readonly isQuick: boolean;
  readonly jsonLoad: "wrk" | "bun";
  readonly isProfiled: boolean;
  /** Another checkout that is measured beside this one. */
  readonly against: string | null;
  /** Programs of others that were given, by arm. */
  readonly binaries: Readonly<Partial<Record<GivenArmName, string>>>;
  /** Whether the ratios are compared with those that were kept, or kept. */
  readonly ratios: "check" | "keep" | null;
};

/** What a run measures that is compared with another. */
const CHECKED_ROUNDS = 15;
const CHECKED_SECONDS = 2;
const checkedArms: readonly ArmName[] = ["nginx", "sluice", "front"];
/** What two versions are compared with, and the newer one. */
const comparedArms: readonly ArmName[] = ["nginx", "front"];
const checkedScenarios = ["json-64", "json-256", "stream-200"];

const ALL_CONVERSIONS = "conversions";

export const usage = `usage: bun run bench relay [options]
  --quick              one round of the headline scenarios, under 90 seconds
  --rounds <n>         interleaved rounds (default 3, quick 1)
  --seconds <n>        measured seconds of each scenario instead of its own
  --warm <n>           calls of each arm before its first round of JSON calls (default none)
  --warm-streams <n>   streams of each arm before its first round of streams (default none)
  --only <json|stream> one kind of call
  --scenarios <names>  of ${scenarios.map(nameOf).join(", ")};
                       not part of a run that does not name them: ${ALL_CONVERSIONS}, which is all of
                       ${conversionScenarios.map(nameOf).join(", ")}
  --arms <names>       of ${armNames.join(", ")}
  --against <folder>   another checkout with its packages installed, measured as the arm "before"; alone, it is compared
                       with nginx and front
  --one-api <path>     its binary, which is then measured too; ONE_API_BINARY in the environment does the same
  --new-api <path>     the same with NEW_API_BINARY
  --check              compare with the ratios that were kept (relay/kept-ratios.json) and end with 1 when one is more
                       than 5 % worse: ${CHECKED_ROUNDS} rounds of ${CHECKED_SECONDS} s of ${checkedScenarios.join(", ")},
                       with ${checkedArms.join(", ")}
  --keep               the same run, which keeps its ratios
  --load <wrk|bun>     generator of the JSON load (default wrk when it is installed)
  --profile            CPU profile of Sluice into .data/bench/profile; it slows the run down`;

/** Reads the command line. @throws Error that says what is wrong with it */
export function readOptions(args: string[]): Options | "help" {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      warm: { type: "string" },
      "warm-streams": { type: "string" },
      only: { type: "string" },
      scenarios: { type: "string" },
      arms: { type: "string" },
      load: { type: "string" },
      profile: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      against: { type: "string" },
      "one-api": { type: "string" },
      "new-api": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    return "help";
  }
  const isQuick = values.quick;
  const ratios = values.keep ? "keep" : values.check ? "check" : null;
  const binaries = readBinaries(values);
  const against = values.against === undefined ? null : resolve(values.against);
  const kind = values.only === undefined ? null : readOne(values.only, ["json", "stream"]);
  const installed = Bun.which("wrk") === null ? "bun" : "wrk";
  return {
    rounds: readCount(values.rounds, ratios === null ? (isQuick ? 1 : 3) : CHECKED_ROUNDS),
    arms: readArms(values.arms, against, defaultArms(ratios !== null, binaries)),
    scenarios: readScenarios(
      values.scenarios ?? (ratios === null ? undefined : checkedScenarios.join(",")),
      isQuick,
    ).filter((each) => kind === null || each.kind === kind),
    warmCalls: values.warm === undefined ? 0 : readCount(values.warm, 0),
    warmStreams: values["warm-streams"] === undefined ? 0 : readCount(values["warm-streams"], 0),
    seconds: readSeconds(values.seconds, ratios !== null),
    isQuick,
    jsonLoad: values.load === undefined ? installed : readOne(values.load, ["wrk", "bun"]),
    isProfiled: values.profile,
    against,
    binaries,
    ratios,
  };
}

function readArms(text: string | undefined, against: string | null, otherwise: readonly ArmName[]): readonly ArmName[] {
  if (against === null) {
    return text === undefined ? otherwise : readList(text, armNames);
  }
  return ["before", ...(text === undefined ? comparedArms : readList(text, armNames))];
}

function defaultArms(isCompared: boolean, binaries: Options["binaries"]): readonly ArmName[] {
  return isCompared ? checkedArms : [...relayArmNames, ...givenArmNames.filter((name) => binaries[name] !== undefined)];
}

function readSeconds(text: string | undefined, isCompared: boolean): number | null {
  return text === undefined && !isCompared ? null : readCount(text, CHECKED_SECONDS);
}

/** The programs named in the options or in the environment. */
function readBinaries(values: Readonly<Partial<Record<GivenArmName, string>>>): Options["binaries"] {
  const found = givenArmNames.flatMap((name) => {
    const path = values[name] ?? process.env[`${name.replace("-", "_").toUpperCase()}_BINARY`] ?? "";
    return path === "" ? [] : [[name, resolve(path)]];
  });
  return Object.fromEntries(found);
}

function readScenarios(text: string | undefined, isQuick: boolean): Scenario[] {
  if (text === undefined) {
    return scenarios.filter((each) => !isQuick || each.isHeadline);
  }
  const all = [...scenarios, ...conversionScenarios];
  const names = readList(text, [ALL_CONVERSIONS, ...all.map(nameOf)]);
  return all.filter(
    (each) => names.includes(each.name) || (each.conversion !== null && names.includes(ALL_CONVERSIONS)),
  );
}

function nameOf(scenario: Scenario): string {
  return scenario.name;
}

function readOne<Name extends string>(text: string, allowed: readonly Name[]): Name {
  const found = allowed.find((each) => each === text);
  if (found === undefined) {
    throw new Error(`"${text}" is none of ${allowed.join(", ")}`);
  }
  return found;
}

function readList<Name extends string>(text: string, allowed: readonly Name[]): Name[] {
  return text.split(",").map((each) => readOne(each.trim(), allowed));
}

function readCount(text: string | undefined, otherwise: number): number {
  const count = text === undefined ? otherwise : Number(text);
  if (!Number.isInteger(count) || count < 1) {
    throw new Error(`"${text}" is not a whole number above zero`);
  }
  return count;
}
