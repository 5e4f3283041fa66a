import type { Finding, PeerData, RatioProgram } from "../model.ts";
import { PeerPrices } from "../prices/price-models.ts";
import { countedTables, type KnownTable, knownColumns, knownTables } from "./known-columns.ts";
import type { Note, Row, Source } from "./model.ts";
import { compareAbilities } from "./read-abilities.ts";
import { noteAuthenticators, readAuthenticators } from "./read-authenticators.ts";
import { readChannel } from "./read-channel.ts";
import { readCode } from "./read-code.ts";
import { noteHistory, noteOddRatios, noteOptions, notePasskeys } from "./read-history.ts";
import { readKey } from "./read-key.ts";
import { readUsage } from "./read-usage.ts";
import { readUser } from "./read-user.ts";
import { OddValue, textOf } from "./read-values.ts";
import { noteUnknownTables, UnreadColumns } from "./unread-columns.ts";

/**
 * Reads all of another program's database that can be moved.
 * @param saved settings that the running program has beyond those of its database
 * @param isUsageRead whether the history of calls is read, which takes as long as there are logs
 * @throws Error if it is a database of something else
 */
export async function readPeer(
  source: Source,
  program: RatioProgram,
  saved: ReadonlyMap<string, string>,
  isUsageRead: boolean,
): Promise<PeerData> {
  await refuseOther(source, program);
  const findings: Finding[] = [];
  const unreadOf = (table: KnownTable) => UnreadColumns.of(source, table, knownColumns[table]);
  const present = { users: new Set<string>(), tokens: new Set<string>(), channels: new Set<string>() };
  const idsOf: Readonly<Record<string, Set<string>>> = present;
  const read = async <Read>(table: KnownTable, readRow: (row: Row, note: Note) => Read | null): Promise<Read[]> => {
    const all: Read[] = [];
    const unread = await unreadOf(table);
    for await (const row of source.rows(table, "id")) {
      unread.see(row);
      const id = textOf(row["id"]);
      idsOf[table]?.add(id);
      const note: Note = (level, text) => findings.push({ level, table, id, text });
      try {
        const one = readRow(row, note);
        if (one !== null) {
          all.push(one);
        }
      } catch (error) {
        if (!(error instanceof OddValue)) {
          throw error;
        }
        note("lost", `The row can't be read: ${error.message}.`);
      }
    }
    unread.note(findings);
    return all;
  };
  const options = new Map([...(await readOptions(source)), ...saved]);
  const prices = new PeerPrices(program, options);
  noteOptions(options, findings);
  noteOddRatios(options, findings);
  await noteHistory(source, findings);
  await notePasskeys(source, findings);
  const authenticators = await readAuthenticators(source, findings);
  const users = await read("users", (row, note) => readUser(row, note, authenticators));
  noteAuthenticators(authenticators, users, findings);
  const channels = await read("channels", (row, note) => readChannel(row, program, note));
  await compareAbilities(source, channels, await unreadOf("abilities"), findings);
  await noteUnknownTables(source, knownTables, findings);
  const keys = await read("tokens", (row, note) => readKey(row, program, note));
  const codes = (await source.columnsOf("redemptions")) === null ? [] : await read("redemptions", readCode);
  const leftOut = await countLeftOut(source);
  return {
    program,
    present: { user: present.users, organisation: new Set(), key: present.tokens, channel: present.channels },
    organisations: [],
    priceOf: (model, serving) => prices.priceOf(model, serving),
    users,
    keys,
    channels,
    codes,
    // After all that has to be of one moment.
    usage: isUsageRead ? await readUsage(source, findings) : null,
    options,
    leftOut,
    findings,
  };
}

/** Each program has columns that the other one lacks; numbers of channel types mean different providers in them. */
async function refuseOther(source: Source, program: RatioProgram): Promise<void> {
  const tokens = await source.columnsOf("tokens");
  const users = await source.columnsOf("users");
  if (tokens === null || users === null || !tokens.has("remain_quota")) {
    throw new Error("this is not a database of one-api or new-api: it has no table of users, or none of tokens");
  }
  const isNewApi = tokens.has("model_limits_enabled");
  if (isNewApi !== (program === "new-api")) {
    throw new Error(`this is a database of ${isNewApi ? "new-api" : "one-api"}, not of ${program}`);
  }
}

async function readOptions(source: Source): Promise<ReadonlyMap<string, string>> {
  const options = new Map<string, string>();
  if ((await source.columnsOf("options")) !== null) {
    for await (const row of source.rows("options", "key")) {
      options.set(textOf(row["key"]), textOf(row["value"]));
    }
  }
  return options;
}

async function countLeftOut(source: Source): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of countedTables) {
    const count = await source.countOf(table);
    if (count !== null) {
      counts.set(table, count);
    }
  }
  return counts;
}
