import { parseArgs } from "node:util";
import { type ArmName, armNames, relayArmNames } from "./arm.ts";
import { conversionScenarios, type Scenario, scenarios } from "./scenarios.ts";

export type Options = {
  readonly rounds: number;
  readonly arms: readonly ArmName[];
  readonly scenarios: readonly Scenario[];
  /** Overrides the measured time of every scenario. */
  readonly seconds: number | null;
  readonly isQuick: boolean;
  readonly jsonLoad: "wrk" | "bun";
  readonly isProfiled: boolean;
};

const ALL_CONVERSIONS = "conversions";

export const usage = `usage: bun run bench relay [options]
  --quick              one round of the headline scenarios, under 90 seconds
  --rounds <n>         interleaved rounds (default 3, quick 1)
  --seconds <n>        measured seconds of each scenario instead of its own
  --only <json|stream> one kind of call
  --scenarios <names>  of ${scenarios.map(nameOf).join(", ")};
                       not part of a run that does not name them: ${ALL_CONVERSIONS}, which is all of
                       ${conversionScenarios.map(nameOf).join(", ")}
  --arms <names>       of ${armNames.join(", ")}
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
      only: { type: "string" },
      scenarios: { type: "string" },
      arms: { type: "string" },
      load: { type: "string" },
      profile: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    return "help";
  }
  const isQuick = values.quick;
  const kind = values.only === undefined ? null : readOne(values.only, ["json", "stream"]);
  const installed = Bun.which("wrk") === null ? "bun" : "wrk";
  return {
    rounds: readCount(values.rounds, isQuick ? 1 : 3),
    arms: values.arms === undefined ? relayArmNames : readList(values.arms, armNames),
    scenarios: readScenarios(values.scenarios, isQuick).filter((each) => kind === null || each.kind === kind),
    seconds: values.seconds === undefined ? null : readCount(values.seconds, 1),
    isQuick,
    jsonLoad: values.load === undefined ? installed : readOne(values.load, ["wrk", "bun"]),
    isProfiled: values.profile,
  };
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
