/** The tables in which new-api keeps authenticators and passkeys, as it creates them in SQLite. */
const tables = [
  `create table two_fas (id integer, user_id integer not null, secret varchar(255) not null, is_enabled numeric,
     failed_attempts integer default 0, locked_until datetime, last_used_at datetime, created_at datetime,
     updated_at datetime, deleted_at datetime, primary key (id), constraint uni_two_fas_user_id unique (user_id))`,
  `create table two_fa_backup_codes (id integer, user_id integer not null, code_hash varchar(255) not null,
     is_used numeric, used_at datetime, created_at datetime, deleted_at datetime, primary key (id))`,
  `create table passkey_credentials (id integer, user_id integer not null, credential_id varchar(512) not null,
     public_key text not null, sign_count integer default 0, created_at datetime, deleted_at datetime, primary key (id))`,
];

type Change = (sql: string) => void;

/** Adds the tables of second factors to a database of a version that had none. */
export function addSecondFactorTables(change: Change): void {
  for (const sql of tables) {
    change(sql);
  }
}

/** A backup code as new-api stores it. */
export async function hashBackupCode(code: string): Promise<string> {
  const hash = await Bun.password.hash(code, { algorithm: "bcrypt", cost: 10 });
  return hash.replace("$2b$", "$2a$");
}
