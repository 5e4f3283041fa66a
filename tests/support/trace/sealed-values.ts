import { totpSealedColumns } from "@sluice/control-plane/accounts/totp/second-factor.ts";
import { findOrCreateUser } from "@sluice/control-plane/accounts/users/known-users.ts";
import { approvalSealedColumns } from "@sluice/control-plane/admin/approvals/service.ts";
import { sealedColumns } from "@sluice/control-plane/admin/master-key/sealed-columns.ts";
import { saveSecret } from "@sluice/control-plane/admin/secrets/service.ts";
import { insertMail } from "@sluice/control-plane/mail/store.ts";
import { sealVariables } from "@sluice/control-plane/mail/variables-seal.ts";
import { codeSealedColumns } from "@sluice/control-plane/payments/codes/sealed-seed.ts";
import type { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { open, seal } from "@sluice/control-plane/platform/crypto/seal.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { createCustomer } from "../usage/usage-rows.ts";

export const paymentSecret = "whsec_0123456789-0123456789";
const farAway = new Date(Date.now() + 86_400_000);

/** Values of every kind, encrypted as in the product, except channel credentials and day keys. */
export async function fillSealed(db: Database, key: MasterKey, secretCount: number): Promise<void> {
  const { gatewayUserId } = await createCustomer(db, 1_000n);
  await db.withTransaction(async (tx) => {
    for (let each = 0; each < secretCount; each += 1) {
      await saveSecret(tx, key, `filler.${each}`, `value ${each}`);
    }
    await saveSecret(tx, key, "cardpay.default.webhook_secret", paymentSecret);
    const profile = { email: "rotation@example.com", displayName: "" };
    const { userId: known } = await findOrCreateUser(tx, profile, () => Promise.resolve(gatewayUserId));
    for (const userId of [null, known]) {
      const mail = { dedupeKey: `rotation:${userId}`, userId };
      await insertMail(tx, {
        ...mail,
        template: "quota_low",
        locale: "en",
        to: "somebody@example.com",
        variablesSealed: sealVariables(key, mail, { remaining: `of ${userId}` }),
        source: "test",
        now: farAway,
        expiresAt: null,
      });
    }
  });
  await db.sql`insert into shared_admin_credentials (username, password_hash, agent) values ('rotation', 'none', 1)`;
  await db.sql`
    insert into approval (kind, input, reason, effects, requested_by, requested_by_name, request_id, ip, idempotency_key,
      expires_at)
    select 'secret.save', '{"name": "mail.smtp_url"}', '', '{}', id, username, 'r', '::1', 'k', now() + interval '1 day'
    from shared_admin_credentials where username = 'rotation'`;
  await db.sql`
    insert into code_batch (name, plan_kind, quota, count, is_once_per_user, created_by)
    values ('rotation', 'wallet_balance', 1, 1, false, 'rotation')`;
  await db.sql`
    insert into redemption_code (batch_id, digest) select id, sha256('rotation') from code_batch where name = 'rotation'`;
  for (const column of [...totpSealedColumns, ...approvalSealedColumns, ...codeSealedColumns]) {
    const rows = await db.query<{ id: bigint }>(`select id from ${column.table}`, []);
    for (const { id } of rows) {
      const sealed = seal(key.sealing, Buffer.from(`sealed ${id}`), column.contextOf([id.toString()]));
      await db.query(`update ${column.table} set ${column.column} = $1 where id = $2`, [sealed, id]);
    }
  }
}

/** Every listed value in plain text, by its location. */
export async function readSealed(db: Database, key: MasterKey): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const column of sealedColumns) {
    const names = column.key.map((name) => `${name}::text`).join(", ");
    const rows = await db.query<{ key: (string | null)[]; sealed: Uint8Array }>(
      `select to_jsonb(array[${names}]) as key, ${column.column} as sealed from ${column.table}
       where ${column.column} is not null`,
      [],
    );
    for (const row of rows) {
      const value = open(key.opening, row.sealed, column.contextOf(row.key));
      values.set(`${column.table}.${column.column} ${row.key.join(" ")}`, Buffer.from(value).toString("base64"));
    }
  }
  return values;
}

/** How many values of any bytea column contain a key's id at the position where encrypted values do. */
export async function countUnder(db: Database, keyId: string): Promise<number> {
  const columns = await db.sql<{ place: string; name: string }>`
    select c.table_name as place, c.column_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.data_type = 'bytea' and t.table_type = 'BASE TABLE'`;
  let sum = 0;
  for (const { place, name } of columns) {
    const [row] = await db.query<{ rows: number }>(
      `select count(*)::integer as rows from ${place}
       where substring(${name} from 1 for 5) = decode('01' || $1::text, 'hex')`,
      [keyId],
    );
    sum += row?.rows ?? 0;
  }
  return sum;
}
