import { type ImportedAuthenticator, readImportedSecret } from "../../accounts/totp/imported-authenticator.ts";
import type { Finding } from "../model.ts";
import { knownColumns } from "./known-columns.ts";
import type { Row, Source } from "./model.ts";
import { flagOf, textOf } from "./read-values.ts";
import { UnreadColumns } from "./unread-columns.ts";

/** new-api makes four. All of a user are tried at a login with one of them, so they are bounded. */
const codesMax = 10;
/** A higher cost would keep a processor busy for too long. */
const codeHash = /^\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/;

/** The authenticators that logins to new-api need, by the user; others are named. */
export async function readAuthenticators(
  source: Source,
  findings: Finding[],
): Promise<ReadonlyMap<string, ImportedAuthenticator>> {
  const all = new Map<string, ImportedAuthenticator>();
  const codes = await readCodes(source, findings);
  await eachKept(source, "two_fas", findings, (row) => {
    const [id, userId] = [textOf(row["id"]), textOf(row["user_id"])];
    const secret = readImportedSecret(textOf(row["secret"]));
    if (!flagOf(row["is_enabled"])) {
      const text = `User ${userId} has begun to set up an authenticator and has not confirmed it, so it is not moved.`;
      findings.push({ level: "note", table: "two_fas", id, text });
    } else if (secret === null) {
      const text = `The secret of the authenticator of user ${userId} can't be read: its owner logs in without it, and sets it up again.`;
      findings.push({ level: "lost", table: "two_fas", id, text });
    } else {
      all.set(userId, { secret, recoveryHashes: codes.get(userId) ?? [] });
    }
  });
  return all;
}

/** The codes that nobody has used, by the user. */
async function readCodes(source: Source, findings: Finding[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const codes = new Map<string, string[]>();
  await eachKept(source, "two_fa_backup_codes", findings, (row) => {
    const [id, userId, hash] = [textOf(row["id"]), textOf(row["user_id"]), textOf(row["code_hash"])];
    const own = codes.get(userId) ?? [];
    if (flagOf(row["is_used"])) {
      return;
    }
    if (!codeHash.test(hash) || own.length === codesMax) {
      const why = own.length === codesMax ? `it has more than ${codesMax}` : "it is not stored as bcrypt";
      const text = `A backup code of user ${userId} is not moved: ${why}.`;
      findings.push({ level: "lost", table: "two_fa_backup_codes", id, text });
      return;
    }
    codes.set(userId, [...own, hash]);
  });
  return codes;
}

/** Calls `take` with each row that was not deleted; with none if the table does not exist. */
async function eachKept(
  source: Source,
  table: "two_fas" | "two_fa_backup_codes",
  findings: Finding[],
  take: (row: Row) => void,
): Promise<void> {
  if ((await source.columnsOf(table)) === null) {
    return;
  }
  const unread = await UnreadColumns.of(source, table, knownColumns[table]);
  for await (const row of source.rows(table, "id")) {
    unread.see(row);
    if (textOf(row["deleted_at"]) === "") {
      take(row);
    }
  }
  unread.note(findings);
}

/** What was read of authenticators beside the users whom they belong to. */
export function noteAuthenticators(
  authenticators: ReadonlyMap<string, ImportedAuthenticator>,
  users: readonly { readonly id: string; readonly authenticator: ImportedAuthenticator | null }[],
  findings: Finding[],
): void {
  const moved = users.filter(({ authenticator }) => authenticator !== null).length;
  const known = new Set(users.map(({ id }) => id));
  if (moved > 0) {
    const text = "keeps working here, with the backup codes that nobody has used";
    const id = moved === 1 ? "1 authenticator" : `${moved} authenticators`;
    findings.push({ level: "note", table: "two_fas", id, text: `Each ${text}.` });
  }
  for (const userId of authenticators.keys()) {
    if (!known.has(userId)) {
      const text = "The user does not exist, so the authenticator is not moved.";
      findings.push({ level: "lost", table: "two_fas", id: `user ${userId}`, text });
    }
  }
}
