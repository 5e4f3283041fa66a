import type { Finding } from "../model.ts";
import { oddRatios } from "../prices/ratio-map.ts";
import type { Source } from "./model.ts";
import { OddValue, textOf, wholeOf } from "./read-values.ts";

/** Settings that decide prices and balances, and are used. */
const usedOptions = new Set([
  ...["ModelRatio", "CompletionRatio", "CacheRatio", "ModelPrice", "GroupRatio", "QuotaPerUnit"],
]);

/** The names of settings that are not moved; their values may be secrets. */
export function noteOptions(options: ReadonlyMap<string, string>, findings: Finding[]): void {
  const names = [...options.keys()].filter((name) => !usedOptions.has(name)).toSorted();
  if (names.length > 0) {
    const text = `Not moved; set what you need in the admin: ${names.join(", ")}.`;
    findings.push({ level: "lost", table: "options", id: `${names.length} settings`, text });
  }
}

const namesMax = 20;

/** Ratios and prices that can't be read and count as unset. */
export function noteOddRatios(options: ReadonlyMap<string, string>, findings: Finding[]): void {
  for (const name of ["ModelRatio", "CompletionRatio", "CacheRatio", "ModelPrice", "GroupRatio"]) {
    const odd = oddRatios(options, name).map((each) => JSON.stringify(each.slice(0, 60)));
    if (odd.length > 0) {
      const more = odd.length > namesMax ? ` and ${odd.length - namesMax} more` : "";
      const text = `The values of ${odd.slice(0, namesMax).join(", ")}${more} are not numbers of at least 0, so they count as unset.`;
      findings.push({ level: "decide", table: "options", id: name, text });
    }
  }
}

/** What was paid and subscribed there, which stays there: balances hold it already. */
export async function noteHistory(source: Source, findings: Finding[]): Promise<void> {
  for (const table of ["top_ups", "user_subscriptions", "subscription_orders"]) {
    const { states, credited } = await sumUp(source, table);
    if (states.size > 0) {
      const counts = [...states].map(([state, count]) => `${count} ${state}`).join(", ");
      const paid = table === "top_ups" ? `, ${credited} USD of which was credited` : "";
      const text = `Its history stays there: ${counts}${paid}. What was paid is in the balances.`;
      findings.push({ level: "lost", table, id: "all rows", text });
    }
  }
}

/** How many rows of a table are in which state, and what those that succeeded come to. */
async function sumUp(source: Source, table: string) {
  const states = new Map<string, number>();
  let credited = 0n;
  if ((await source.columnsOf(table)) !== null) {
    for await (const row of source.rows(table, "id")) {
      const state = textOf(row["status"]).slice(0, 20) || "without a state";
      states.set(state, (states.get(state) ?? 0) + 1);
      credited += state === "success" ? amountOf(row["amount"]) : 0n;
    }
  }
  return { states, credited };
}

function amountOf(value: unknown): bigint {
  try {
    return wholeOf(value);
  } catch (error) {
    if (error instanceof OddValue) {
      return 0n;
    }
    throw error;
  }
}

/** Passkeys are bound to the domain of the other program and to this program's own ids of users. */
export async function notePasskeys(source: Source, findings: Finding[]): Promise<void> {
  if ((await source.columnsOf("passkey_credentials")) === null) {
    return;
  }
  for await (const row of source.rows("passkey_credentials", "id")) {
    if (textOf(row["deleted_at"]) === "") {
      const text = `The passkey of user ${textOf(row["user_id"])} is bound to the other program and is not moved: its owner adds another one here.`;
      findings.push({ level: "lost", table: "passkey_credentials", id: textOf(row["id"]), text });
    }
  }
}
