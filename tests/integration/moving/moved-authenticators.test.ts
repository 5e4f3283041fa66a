import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { writeReport } from "@sluice/control-plane/moving/write-report.ts";
import { type AccountAnswer, AccountClient } from "../../support/accounts/account-client.ts";
import { Authenticator } from "../../support/accounts/authenticator.ts";
import { copyPeer, endMove, move } from "../../support/moving/peers.ts";
import { addSecondFactorTables, hashBackupCode } from "../../support/moving/second-factors.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const otherSecret = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU";
const broken = "a-secret-that-is-none";
const [alice, bob, carol, dave, erin, judy] = [2, 3, 4, 5, 6, 11];

type Peer = Awaited<ReturnType<typeof copyPeer>>;
let peer: Peer;
let rig: SluiceRig;
let service: SluiceProcess;
let client: AccountClient;
let report: ImportReport;

beforeAll(async () => {
  peer = await copyPeer("new-api");
  addSecondFactorTables(peer.change);
  const factor = (values: string): void =>
    peer.change(`insert into two_fas (id, user_id, secret, is_enabled, deleted_at) values (${values})`);
  factor(`1, ${alice}, '${secret}', 1, null`);
  factor(`2, ${carol}, '${otherSecret.toLowerCase()}', 1, null`);
  factor(`3, ${bob}, '${broken}', 1, null`);
  factor(`4, ${dave}, '${otherSecret}', 0, null`);
  factor(`5, ${judy}, '${otherSecret}', 1, null`);
  factor(`6, 4711, '${otherSecret}', 1, null`);
  factor(`7, ${erin}, '${otherSecret}', 1, '2026-01-01 00:00:00'`);
  const code = async (ids: string, text: string, isUsed = 0): Promise<void> => {
    const values = `${ids}, '${await hashBackupCode(text)}', ${isUsed}`;
    peer.change(`insert into two_fa_backup_codes (id, user_id, code_hash, is_used) values (${values})`);
  };
  await code(`1, ${alice}`, "ABCD-0189");
  await code(`2, ${alice}`, "WXYZ-7777");
  await code(`3, ${alice}`, "USED-0000", 1);
  await code(`4, ${carol}`, "QWER-2345");
  peer.change("insert into two_fa_backup_codes (id, user_id, code_hash, is_used) values (5, 4, 'plain', 0)");
  peer.change("insert into passkey_credentials (id, user_id, credential_id, public_key) values (9, 3, 'id', 'key')");
  rig = await SluiceRig.create("http://127.0.0.1:9");
  report = await move(rig.db, "new-api", { from: `sqlite:${peer.path}` });
  service = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for" });
  client = new AccountClient(service);
});
afterAll(async () => {
  await rig.close();
  await peer[Symbol.asyncDispose]();
});

let addresses = 0;
async function logIn(email: string, password: string, code?: string): Promise<AccountAnswer> {
  addresses += 1;
  const body = { email, password, ...(code === undefined ? {} : { code }) };
  return await client.post("/backend/auth/login/", body, { ip: `203.0.113.${addresses}` });
}

const codeOf = ({ status, body }: AccountAnswer): string =>
  `${status} ${(body["error"] as { code?: string })?.code ?? ""}`;

const moveAgain = () => move(rig.db, "new-api", { from: `sqlite:${peer.path}` });

describe("a user of new-api with an authenticator", () => {
  test("logs in with a code of the same authenticator, and with no password alone", async () => {
    const authenticator = new Authenticator(secret);
    expect(codeOf(await logIn("alice@example.com", "Alice-Pw-2026!"))).toBe("401 code_required");
    expect(codeOf(await logIn("alice@example.com", "Alice-Pw-2026!", authenticator.wrong()))).toBe("401 invalid_code");
    const code = await authenticator.next();
    expect((await logIn("alice", "Alice-Pw-2026!", code)).status).toBe(200);
    // It has been used.
    expect(codeOf(await logIn("alice", "Alice-Pw-2026!", code))).toBe("401 invalid_code");
  });

  test("logs in with each unused backup code once, in any case and grouping", async () => {
    expect((await logIn("alice", "Alice-Pw-2026!", "abcd 0189")).status).toBe(200);
    expect(codeOf(await logIn("alice", "Alice-Pw-2026!", "ABCD-0189"))).toBe("401 invalid_code");
    expect(codeOf(await logIn("alice", "Alice-Pw-2026!", "USED-0000"))).toBe("401 invalid_code");
    expect(codeOf(await logIn("alice", "Alice-Pw-2026!", "QWER-2345"))).toBe("401 invalid_code");
  });

  test("has a secret that is stored encrypted, as ours are", async () => {
    const [row] = await rig.db.sql<{ sealed: Uint8Array; is_on: boolean }>`
      select totp_sealed as sealed, totp_enabled_at is not null as is_on from user_profile where username = 'alice'`;
    expect(row?.is_on).toBe(true);
    expect(Buffer.from(row?.sealed ?? []).toString("latin1")).not.toContain("JBSWY");
    expect(row?.sealed.length).toBeGreaterThan(20);
  });

  test("can't use a code again after another run, and one who has changed it there uses the new one here", async () => {
    peer.change(`update users set display_name = 'Carol again' where id = ${carol}`);
    peer.change(`update users set display_name = 'Alice again' where id = ${alice}`);
    const carolCode = "QWER-2345";
    await rig.db.sql`
      update recovery_code set used_at = now() where user_id = (select id from user_profile where username = 'carol')`;
    // Who has only logged in here has changed nothing.
    expect((await moveAgain()).counts.get("users")).toMatchObject({ changed: 2, kept: 0 });
    expect(codeOf(await logIn("carol", "Carol-Pw-2026!", carolCode))).toBe("401 invalid_code");
    expect(codeOf(await logIn("alice", "Alice-Pw-2026!", "ABCD-0189"))).toBe("401 invalid_code");
    peer.change(`update two_fas set secret = '${secret}' where user_id = ${carol}`);
    expect((await moveAgain()).counts.get("users")).toMatchObject({ changed: 1, kept: 0 });
    expect(codeOf(await logIn("carol", "Carol-Pw-2026!", carolCode))).toBe("401 invalid_code");
    expect(codeOf(await logIn("carol", "Carol-Pw-2026!", await new Authenticator(otherSecret).next()))).toBe(
      "401 invalid_code",
    );
    expect((await logIn("carol", "Carol-Pw-2026!", await new Authenticator(secret).next())).status).toBe(200);
    await endMove(rig.db, "new-api", { from: `sqlite:${peer.path}` });
    expect(await rig.checkMoney()).toEqual([]);
  });
});

describe("the report about second factors", () => {
  const of = (table: string, id: string): string =>
    report.findings
      .filter((finding) => finding.table === table && finding.id === id)
      .map(({ level, text }) => `${level}: ${text}`)
      .join("\n");

  test("says by row what is moved and what is not, and quotes no secret", () => {
    expect(of("two_fas", "2 authenticators")).toContain("note: Each keeps working here");
    expect(of("two_fas", "3")).toContain("lost: The secret of the authenticator of user 3 can't be read");
    expect(of("two_fas", "4")).toContain("note: User 5 has begun to set up");
    expect(of("two_fas", "user 4711")).toContain("lost: The user does not exist");
    expect(of("two_fas", "7")).toBe("");
    expect(of("two_fa_backup_codes", "5")).toContain("lost: A backup code of user 4 is not moved");
    expect(of("passkey_credentials", "9")).toContain("lost: The passkey of user 3");
    const text = writeReport(report);
    expect([broken, secret, "$2a$", "plain,"].filter((each) => text.includes(each))).toEqual([]);
  });

  test("of users who are not asked for a code: they log in with their password alone", async () => {
    expect((await logIn("bob", "Bob-Pw-2026!")).status).toBe(200);
    expect((await logIn("erin", "Erin-Pw-2026!")).status).toBe(200);
  });
});
