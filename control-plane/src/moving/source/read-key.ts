import { isAddressOrRange } from "../../platform/address-list.ts";
import type { PeerKey, RatioProgram } from "../model.ts";
import type { Note, Row } from "./model.ts";
import { flagOf, instantOf, lineOf, listOf, textOf, wholeOf } from "./read-values.ts";

const [enabled, disabled, expired, exhausted] = [1n, 2n, 3n, 4n];
const never = -1n;

/**
 * A row of `tokens`. The programs note only at the next call that a key has expired or is spent, so the status of such
 * keys is ignored: time and quota decide here as well.
 */
export function readKey(row: Row, program: RatioProgram, note: Note): PeerKey {
  const isNewApi = program === "new-api";
  const expiry = wholeOf(row["expired_time"]);
  const isUnlimited = flagOf(row["unlimited_quota"]);
  const remaining = wholeOf(row["remain_quota"]);
  return {
    id: textOf(row["id"]),
    owner: { kind: "user", id: textOf(row["user_id"]) },
    name: lineOf(row["name"]),
    secret: { key: `sk-${textOf(row["key"]).replace(/^sk-/, "")}` },
    status: statusOf(row, note),
    expiresAt: expiry === never ? null : instantOf(expiry),
    remaining: isUnlimited ? null : remaining > 0n ? remaining : 0n,
    period: "none",
    limits: null,
    replacedBy: null,
    models: isNewApi ? limitedModels(row) : listedModels(row),
    addresses: isNewApi ? singleAddresses(row, note) : networks(row, note),
    group: isNewApi ? groupOf(row, note) : "",
  };
}

function statusOf(row: Row, note: Note): PeerKey["status"] {
  if (textOf(row["deleted_at"]) !== "") {
    return "revoked";
  }
  const status = wholeOf(row["status"]);
  if (status === enabled || status === expired || status === exhausted) {
    return "active";
  }
  if (status !== disabled) {
    note("note", `The status ${status} is unknown; the key is disabled here.`);
  }
  return "disabled";
}

/** one-api: an empty list allows all. */
function listedModels(row: Row): string[] | null {
  const models = listOf(row["models"]);
  return models.length === 0 ? null : models;
}

/** new-api: an empty list that is switched on allows nothing. */
function limitedModels(row: Row): string[] | null {
  return flagOf(row["model_limits_enabled"]) ? listOf(row["model_limits"]) : null;
}

function networks(row: Row, note: Note): string[] | null {
  const all = listOf(row["subnet"]);
  const wrong = all.filter((each) => !isAddressOrRange(each));
  if (wrong.length > 0) {
    note("decide", `The key may be used from ${wrong.join(", ")}, which is not an address. It stays closed to these.`);
  }
  return all.length === 0 ? null : all.filter((each) => isAddressOrRange(each));
}

/** new-api ignores what is not a single address; if nothing is left, the key works from everywhere. */
function singleAddresses(row: Row, note: Note): string[] | null {
  const all = listOf(row["allow_ips"], "\n");
  const valid = all.filter((each) => isAddressOrRange(each) && !each.includes("/"));
  const ignored = all.filter((each) => !valid.includes(each));
  if (ignored.length > 0) {
    note("note", `new-api ignores the address ${ignored.join(", ")}, so it is left out here.`);
  }
  return valid.length === 0 ? null : valid;
}

function groupOf(row: Row, note: Note): string {
  const group = textOf(row["group"]).trim();
  if (group === "auto") {
    note("lost", "The key tries groups in turn. Here it uses the group of its owner.");
    return "";
  }
  return group;
}
