import { StartError } from "../start/start-error.ts";

export type DatabaseFacts = {
  /** The major version of the server. */
  readonly postgres: number;
  readonly lastMigration: string;
  readonly usageRows: string;
};

export type FileBackup = {
  /** The required content of the file `backup_label` of the copy. */
  readonly label: string;
  /** The first and the last log segment of the copy; without them it is incomplete. */
  readonly firstSegment: string;
  readonly lastSegment: string;
};

/** One connection to the database that is backed up or was restored. */
export class BackupStore {
  readonly #sql: Bun.SQL;

  constructor(url: string) {
    // A backup may copy for hours between two statements on its one connection.
    this.#sql = new Bun.SQL({ url, max: 1, idleTimeout: 0 });
  }

  /** @throws StartError with a sentence for the operator, which contains no password */
  async connect(): Promise<void> {
    try {
      await this.#sql`select 1`;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartError(`The database can't be reached: ${reason}. Check DATABASE_URL and the server.`);
    }
  }

  /** The facts about a database in the manifest. The number of rows is the current one, for a check after a restore. */
  async readFacts(): Promise<DatabaseFacts> {
    const [row] = await this.#sql`
      select current_setting('server_version_num')::int / 10000 as postgres,
        (select count(*)::text from usage_log) as usage_rows,
        (select coalesce(max(created_at), 0)::text from drizzle.__drizzle_migrations) as last_migration`;
    return { postgres: row.postgres, lastMigration: row.last_migration, usageRows: row.usage_rows };
  }

  /** Records in the audit log that a copy of all data exists; the list of what is left to set up asks for it. */
  async recordBackup(kind: "dump" | "files", isEncrypted: boolean): Promise<void> {
    await this.#sql`
      insert into audit_log (actor_kind, actor_name, action, subject_kind, subject_id, after)
      values ('command', 'backup', 'backup.make', 'database', current_database(),
        jsonb_build_object('kind', ${kind}::text, 'isEncrypted', ${isEncrypted}::boolean))`;
  }

  async countTables(): Promise<number> {
    const [row] = await this.#sql`
      select count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
    return row.tables;
  }

  /**
   * Begins a generation of the response cache that was never used: new accounts get the ids of lost ones, whose
   * responses may still be in a store that replicas share.
   */
  async forgetResponses(): Promise<void> {
    const [found] = await this.#sql`select to_regclass('response_cache') is not null as is_there`;
    if (found.is_there) {
      await this.#sql`
        insert into response_cache as kept (generation) values (floor(extract(epoch from now()) * 1000)::bigint)
        on conflict (id) do update
        set generation = greatest(excluded.generation, kept.generation + 1), cleared_at = now()`;
    }
  }

  /** Creates the role to which a dump grants rights, if it is missing. */
  async ensureAppRole(): Promise<void> {
    const [role] = await this.#sql`select 1 from pg_roles where rolname = 'sluice_app'`;
    if (role === undefined) {
      await this.#sql`create role sluice_app nologin`;
    }
  }

  /**
   * Lets `copy` copy the files of a running server. The server keeps the log that the copy needs until this connection
   * ends.
   * @throws any error of `copy`
   */
  async duringFileBackup(copy: () => Promise<void>): Promise<FileBackup> {
    const slot = `sluice_backup_${process.pid}`;
    await this.#sql`select pg_create_physical_replication_slot(${slot}, true, true)`;
    const [begun] = await this.#sql`select pg_walfile_name(pg_backup_start('sluice', true)) as segment`;
    await copy();
    const [ended] = await this.#sql`
      select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(false)`;
    return { label: ended.label, firstSegment: begun.segment, lastSegment: ended.segment };
  }

  async close(): Promise<void> {
    await this.#sql.close();
  }
}
