import type { PeerChannel, RatioProgram } from "../model.ts";
import { type RawChannel, targetOf } from "../prices/channel-target.ts";
import { readCredentials } from "./channel-keys.ts";
import type { Note, Row } from "./model.ts";
import { flagOf, lineOf, listOf, OddValue, objectOf, textOf, wholeOf } from "./read-values.ts";

const enabled = 1n;
const disabledByProgram = 3n;

/** Settings that have no counterpart here, with what the operator can do instead. */
const lostSettings: readonly (readonly [column: string, text: string])[] = [
  ["system_prompt", "It puts a prompt before every call, which is not done here."],
  ["status_code_mapping", "It changes status codes of the provider. Here they are passed on as they are."],
  ["param_override", "It changes fields of requests. Add these to the settings of the channel."],
  ["header_override", "It changes headers of requests. Add these to the settings of the channel."],
  ["open_ai_organization", "Its organisation goes into a header. Add this to the settings of the channel."],
  ["openai_organization", "Its organisation goes into a header. Add this to the settings of the channel."],
];

/** A row of `channels`. */
export function readChannel(row: Row, program: RatioProgram, note: Note): PeerChannel {
  for (const [column, text] of lostSettings) {
    if (!["", "{}", "null"].includes(textOf(row[column]).trim())) {
      note("lost", text);
    }
  }
  noteSettings(row, note);
  const status = wholeOf(row["status"]);
  if (status === disabledByProgram) {
    note("note", "The program has disabled it after an error; it stays disabled.");
  }
  const type = Number(wholeOf(row["type"]));
  const { credential, furtherKeys } = readCredentials(row, note);
  const raw: RawChannel = {
    type,
    credential,
    baseUrl: textOf(row["base_url"]).trim().replace(/\/+$/, ""),
    other: textOf(row["other"]).trim(),
    config: readConfig(row, note),
  };
  return {
    id: textOf(row["id"]),
    type: type.toString(),
    name: lineOf(row["name"]),
    target: targetOf(raw, program),
    furtherKeys,
    groups: listOf(row["group"]),
    models: listOf(row["models"]),
    upstreamNames: readNames(row, program, note),
    priority: wholeOf(row["priority"]),
    weight: weightOf(wholeOf(row["weight"]), program),
    isEnabled: status === enabled,
  };
}

const [settingsMax, settingLengthMax] = [20, 40];

/** What new-api keeps of a channel as JSON. Values may hold credentials, so names alone are in the report. */
function noteSettings(row: Row, note: Note): void {
  for (const column of ["setting", "settings"]) {
    try {
      const set = Object.entries(objectOf(row[column]) ?? {})
        .filter(
          ([, value]) => !["", "false", "0", "null", "{}", "[]"].includes(JSON.stringify(value).replaceAll('"', "")),
        )
        .map(([name]) => lineOf(name).slice(0, settingLengthMax));
      if (set.length > 0) {
        note("lost", `Its settings ${set.slice(0, settingsMax).join(", ")} are not moved.${effectOf(set)}`);
      }
    } catch (error) {
      if (!(error instanceof OddValue)) {
        throw error;
      }
      note("lost", `What it has in ${column} can't be read: ${error.message}.`);
    }
  }
  if (row["auto_ban"] !== null && row["auto_ban"] !== undefined && !flagOf(row["auto_ban"])) {
    note("note", "It is never switched off after errors there. Here a channel that fails rests for a while by itself.");
  }
}

/** Settings without which calls go elsewhere, or are others. */
function effectOf(settings: readonly string[]): string {
  const proxy = settings.includes("proxy") ? " Its calls went through a proxy, and go directly from here." : "";
  const prompt = settings.includes("system_prompt")
    ? " It puts a prompt before every call, which is not done here."
    : "";
  return `${proxy}${prompt}`;
}

const weightMax = 1_000_000n;

/** one-api takes no notice of weights; new-api adds 10 to each. */
function weightOf(weight: bigint, program: RatioProgram): number {
  const own = weight < 0n ? 0n : weight;
  return program === "one-api" ? 1 : Number(own + 10n > weightMax ? weightMax : own + 10n);
}

function readConfig(row: Row, note: Note): RawChannel["config"] {
  try {
    return objectOf(row["config"]);
  } catch (error) {
    note("lost", `Its settings can't be read: ${error instanceof OddValue ? error.message : "unknown"}.`);
    return null;
  }
}

/** one-api ignores names that it can't read; new-api fails such calls. */
function readNames(row: Row, program: RatioProgram, note: Note): ReadonlyMap<string, string> {
  try {
    const names = Object.entries(objectOf(row["model_mapping"]) ?? {});
    return new Map(names.flatMap(([name, to]) => (typeof to === "string" && to !== "" ? [[name, to] as const] : [])));
  } catch (error) {
    if (!(error instanceof OddValue)) {
      throw error;
    }
    const meaning = program === "one-api" ? "one-api ignores it" : "new-api fails the calls";
    note("decide", `The mapping of its models can't be read (${meaning}): ${error.message}. It is left out.`);
    return new Map();
  }
}
