import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal } from "../platform/crypto/seal.ts";
import { SealError } from "../platform/crypto/seal-errors.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import { type Database, type Queryable, rowsWritten, type Transaction } from "../platform/db.ts";
import { arrayLiteral } from "../platform/db-array-literal.ts";

/** The old and the new master key of a rotation. */
export type KeyExchange = { readonly from: MasterKey; readonly to: MasterKey };

export type ResealOptions = {
  /** The maximum number of rows per transaction. */
  readonly rowsMax: number;
  /** How long to wait for rows that others have locked. */
  readonly patienceMs: number;
  /** Called in each writing transaction, to record what it did. */
  readonly record: (tx: Transaction, column: SealedColumn, rows: number) => Promise<void>;
  /** Called after each transaction with the number of rows done in this run. */
  readonly onProgress: (column: SealedColumn, rowsDone: number) => void;
};

/**
 * The outcome for a column. Rows that name the old key but can't be decrypted with it are broken and stay as they are.
 */
export type ResealedColumn = { readonly rowsDone: number; readonly brokenRows: readonly string[] };

const pauseMs = 100;

/** The name of a column for people, such as `secret.sealed`. */
export function nameOf({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}

/** How many rows of a column are encrypted under which master key, by key id. */
export async function countBySealingKey(
  db: Queryable,
  { table, column }: SealedColumn,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ key_id: string; rows: number }>(
    `select encode(substring(${column} from 2 for 4), 'hex') as key_id, count(*)::integer as rows
     from ${table} where ${column} is not null group by 1 order by 1`,
    [],
  );
  return new Map(rows.map(({ key_id, rows: count }) => [key_id, count]));
}

/**
 * Re-encrypts every value of a column that is under the old key, in small transactions. A kill loses the transaction in
 * progress; the next run continues with what still names the old key.
 * @throws DatabaseUnavailableError, DatabaseTimeoutError, SQL.PostgresError
 */
export async function resealColumn(
  db: Database,
  column: SealedColumn,
  exchange: KeyExchange,
  options: ResealOptions,
): Promise<ResealedColumn> {
  const brokenRows: string[] = [];
  let rowsDone = 0;
  let deadline = performance.now() + options.patienceMs;
  for (;;) {
    const batch = await db.withTransaction(async (tx) => {
      const done = await resealRows(tx, column, { exchange, rowsMax: options.rowsMax, brokenRows });
      if (done.rows > 0) {
        await options.record(tx, column, done.rows);
      }
      return done;
    });
    brokenRows.push(...batch.brokenRows);
    if (batch.rows > 0) {
      rowsDone += batch.rows;
      options.onProgress(column, rowsDone);
      deadline = performance.now() + options.patienceMs;
    } else if (batch.brokenRows.length === 0) {
      const left = (await countBySealingKey(db, column)).get(exchange.from.id) ?? 0;
      if (left <= brokenRows.length || performance.now() > deadline) {
        return { rowsDone, brokenRows };
      }
      // Others are writing to the remaining rows.
      await Bun.sleep(pauseMs);
    }
  }
}

type Batch = { readonly exchange: KeyExchange; readonly rowsMax: number; readonly brokenRows: readonly string[] };

/**
 * Re-encrypts the rows of one transaction. Rows that others have locked are left for later, so that nobody waits for
 * long.
 */
async function resealRows(
  tx: Transaction,
  { table, column, key, contextOf }: SealedColumn,
  { exchange: { from, to }, rowsMax, brokenRows }: Batch,
): Promise<{ rows: number; brokenRows: string[] }> {
  const names = key.map((name) => `${name}::text`).join(", ");
  const found = await tx.query<{ place: string; key: (string | null)[]; sealed: Uint8Array }>(
    `select ctid::text as place, to_jsonb(array[${names}]) as key, ${column} as sealed from ${table}
     where substring(${column} from 2 for 4) = decode($1::text, 'hex') and ${key[0]}::text <> all ($2::text[])
     limit $3::integer for no key update skip locked`,
    [from.id, arrayLiteral(brokenRows), rowsMax],
  );
  const broken: string[] = [];
  for (const row of found) {
    const context = contextOf(row.key);
    const value = openOrNull(from, row.sealed, context);
    if (value === null) {
      broken.push(row.key[0] ?? "");
    } else {
      const fresh = seal(to.sealing, value, context);
      const written = await tx.query(`update ${table} set ${column} = $1 where ctid = $2::text::tid`, [
        fresh,
        row.place,
      ]);
      if (rowsWritten(written) !== 1) {
        throw new Error(`a locked row of ${table} was not found again`);
      }
    }
  }
  return { rows: found.length - broken.length, brokenRows: broken };
}

function openOrNull(key: MasterKey, sealed: Uint8Array, context: string): Uint8Array | null {
  try {
    return open(key.sealing, sealed, context);
  } catch (error) {
    if (error instanceof SealError) {
      return null;
    }
    throw error;
  }
}
