import type { Finding, PeerCall, PeerUsage } from "../model.ts";
import { knownColumns } from "./known-columns.ts";
import type { Row, Source } from "./model.ts";
import { instantOf, OddValue, shortOf, textOf, useOf, wholeOf } from "./read-values.ts";
import { UnreadColumns } from "./unread-columns.ts";

/** Of `logs.type`: a call that was charged. Others are top-ups, notes of the system, tests and errors. */
const consumed = 2n;
const hourSeconds = 3_600n;
const modelLengthMax = 200;
/** More would not fit into memory. */
const sumsMax = 2_000_000;
/** Rows that can't be read are told one by one up to here. */
const toldMax = 20;

/** What one row adds, with the time of it in seconds. */
type Part = Omit<PeerUsage, "day"> & { readonly at: bigint };

/**
 * Sums the calls up by user, day and model. Logs say what was called, as far back as they were kept. The sums by hour that
 * new-api keeps beside them count for the hours before: for the others they would count calls twice.
 * @returns null if there are more sums than can be kept
 */
export async function readUsage(source: Source, findings: Finding[]): Promise<readonly PeerUsage[] | null> {
  const sums = new Map<string, PeerUsage>();
  const before = await addLogs(source, sums, findings);
  await addHours(source, sums, findings, before);
  if (sums.size > sumsMax) {
    const text = `It has more than ${sumsMax} sums by user, day and model, so the history of calls is not moved.`;
    findings.push({ level: "lost", table: "logs", id: "all rows", text });
    return null;
  }
  return [...sums.values()];
}

/** @returns the second of the earliest call; null if there is none */
async function addLogs(source: Source, sums: Map<string, PeerUsage>, findings: Finding[]): Promise<bigint | null> {
  let first: bigint | null = null;
  await readRows(source, "logs", findings, (row) => {
    if (wholeOf(row["type"]) !== consumed) {
      return;
    }
    const part = {
      ...sharedOf(row),
      calls: 1n,
      inputTokens: useOf(row["prompt_tokens"]),
      outputTokens: useOf(row["completion_tokens"]),
    };
    add(sums, part);
    first = first === null || part.at < first ? part.at : first;
  });
  return first;
}

async function addHours(
  source: Source,
  sums: Map<string, PeerUsage>,
  findings: Finding[],
  firstLog: bigint | null,
): Promise<void> {
  let calls = 0n;
  await readRows(source, "quota_data", findings, (row) => {
    const shared = sharedOf(row);
    if (firstLog !== null && shared.at > firstLog - hourSeconds) {
      return;
    }
    const part = { ...shared, calls: useOf(row["count"]), inputTokens: useOf(row["token_used"]), outputTokens: 0n };
    add(sums, part);
    calls += part.calls;
  });
  if (calls > 0n) {
    const text = `The logs of ${calls} calls are gone, so their sums by hour were taken: all of their tokens count as input.`;
    findings.push({ level: "note", table: "quota_data", id: "earlier hours", text });
  }
}

function sharedOf(row: Row): Pick<Part, "userId" | "model" | "quota" | "at"> {
  return {
    userId: textOf(row["user_id"]),
    model: shortOf(row["model_name"], modelLengthMax),
    quota: useOf(row["quota"]),
    at: wholeOf(row["created_at"]),
  };
}

/** Adds a row to the sums. Those that come after the last that can be kept are not added, and readUsage says so. */
function add(sums: Map<string, PeerUsage>, part: Part): void {
  const { userId, model } = part;
  const day = instantOf(part.at).toISOString().slice(0, 10);
  const key = JSON.stringify([userId, day, model]);
  const sum = sums.get(key);
  if (sum === undefined && sums.size > sumsMax) {
    return;
  }
  sums.set(key, {
    userId,
    day,
    model,
    calls: wholeOf(part.calls + (sum?.calls ?? 0n)),
    inputTokens: wholeOf(part.inputTokens + (sum?.inputTokens ?? 0n)),
    outputTokens: wholeOf(part.outputTokens + (sum?.outputTokens ?? 0n)),
    quota: wholeOf(part.quota + (sum?.quota ?? 0n)),
  });
}

const keyNameLengthMax = 100;

/** Single calls in the order in which they were made, some at once; rows that can't be read are noted. */
export async function* readCalls(source: Source, findings: Finding[]): AsyncIterable<readonly PeerCall[]> {
  if ((await source.columnsOf("logs")) === null) {
    return;
  }
  const odd = new OddRows("logs", findings);
  for await (const page of source.pages("logs")) {
    yield page.flatMap((row) => odd.take(row, callOf) ?? []);
  }
  odd.end();
}

function callOf(row: Row): PeerCall | null {
  if (wholeOf(row["type"]) !== consumed) {
    return null;
  }
  const { at, ...shared } = sharedOf(row);
  return {
    ...shared,
    id: textOf(row["id"]),
    madeAt: instantOf(at),
    keyName: shortOf(row["token_name"], keyNameLengthMax),
    inputTokens: useOf(row["prompt_tokens"]),
    outputTokens: useOf(row["completion_tokens"]),
  };
}

/** Calls `take` with each row, and notes those that it can't read. */
async function readRows(
  source: Source,
  table: "logs" | "quota_data",
  findings: Finding[],
  take: (row: Row) => void,
): Promise<void> {
  if ((await source.columnsOf(table)) === null) {
    return;
  }
  const unread = await UnreadColumns.of(source, table, knownColumns[table]);
  const odd = new OddRows(table, findings);
  for await (const page of source.pages(table)) {
    for (const row of page) {
      unread.see(row);
      odd.take(row, take);
    }
  }
  unread.note(findings);
  odd.end();
}

/** Notes rows that can't be read: the first ones row by row, the others by their number. */
class OddRows {
  readonly #table: string;
  readonly #findings: Finding[];
  #count = 0;

  constructor(table: string, findings: Finding[]) {
    this.#table = table;
    this.#findings = findings;
  }

  /** What `read` makes of the row; null if it can't. */
  take<Read>(row: Row, read: (row: Row) => Read): Read | null {
    try {
      return read(row);
    } catch (error) {
      if (!(error instanceof OddValue)) {
        throw error;
      }
      this.#count += 1;
      if (this.#count <= toldMax) {
        const text = `The row can't be read: ${error.message}.`;
        this.#findings.push({ level: "lost", table: this.#table, id: textOf(row["id"]), text });
      }
      return null;
    }
  }

  end(): void {
    if (this.#count > toldMax) {
      const id = `${this.#count - toldMax} further rows`;
      this.#findings.push({ level: "lost", table: this.#table, id, text: "They can't be read." });
    }
  }
}
