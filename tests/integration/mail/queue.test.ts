import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { NewMail } from "@sluice/control-plane/mail/model.ts";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

const service = new MailService({ masterKey: new MasterKey(randomBytes(32)), clock: systemClock });
let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 12, applicationName: "test" });
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

function verification(dedupeKey: string): NewMail<"email_verify"> {
  const variables = { link: "https://example.com/verify?token=canary-token", valid_minutes: "1440" };
  return {
    dedupeKey,
    template: "email_verify",
    userId: null,
    to: "a@example.com",
    locale: "pt-BR",
    variables,
    source: "t",
  };
}

const rowsOf = (dedupeKey: string) =>
  db.sql<{ status: string; locale: string; variables_sealed: Buffer }>`
    select status, locale, variables_sealed from mail_log where dedupe_key = ${dedupeKey}`;

test("of 24 parallel emails with one key exactly one exists", async () => {
  const queue = () => db.withTransaction((tx) => service.queueMail(tx, verification("once")));
  const results = await Promise.all(Array.from({ length: 24 }, queue));
  expect(results.filter((isNew) => isNew)).toHaveLength(1);
  expect(await rowsOf("once")).toHaveLength(1);
});

test("an email of a transaction that fails does not exist, and its key is free", async () => {
  const failing = db.withTransaction(async (tx) => {
    await service.queueMail(tx, verification("undone"));
    throw new Error("the business failed");
  });
  expect(await failing.catch((error: Error) => error.message)).toBe("the business failed");
  expect(await rowsOf("undone")).toEqual([]);
  expect(await db.withTransaction((tx) => service.queueMail(tx, verification("undone")))).toBe(true);
});

test("an email is queued in the closest language, with its variables encrypted", async () => {
  await db.withTransaction((tx) => service.queueMail(tx, verification("sealed")));
  const [row] = await rowsOf("sealed");
  expect(row).toMatchObject({ status: "queued", locale: "pt" });
  expect(row?.variables_sealed.length).toBeGreaterThan(50);
  expect(row?.variables_sealed.toString("latin1")).not.toContain("canary-token");
});
