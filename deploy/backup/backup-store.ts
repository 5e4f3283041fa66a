export type DatabaseFacts = {
  readonly postgres: number;
  readonly lastMigration: string;
  readonly usageRows: string;
};

/** What stands in the manifest about a database. The number of rows is that of the moment, for a look after a restore. */
export async function readFacts(sql: Bun.SQL): Promise<DatabaseFacts> {
  const [row] = await sql`
    select current_setting('server_version_num')::int / 10000 as postgres,
      (select count(*)::text from usage_log) as usage_rows,
      (select coalesce(max(created_at), 0)::text from drizzle.__drizzle_migrations) as last_migration`;
  return { postgres: row.postgres, lastMigration: row.last_migration, usageRows: row.usage_rows };
}

export async function countTables(sql: Bun.SQL): Promise<number> {
  const [row] = await sql`
    select count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
  return row.tables;
}

/** What a dump names as owner of rights; a login that may not make roles leaves that to whoever runs the server. */
export async function ensureAppRole(sql: Bun.SQL): Promise<void> {
  const [role] = await sql`select 1 from pg_roles where rolname = 'sluice_app'`;
  if (role === undefined) {
    await sql`create role sluice_app nologin`;
  }
}

export type FileBackup = {
  /** What has to stand in the file `backup_label` of the copy. */
  readonly label: string;
  /** The first and the last segment of the log without which the copy can't be made whole. */
  readonly firstSegment: string;
  readonly lastSegment: string;
};

/**
 * Has the files of a running server copied. The server keeps the log that the copy needs, by a slot that goes with the
 * connection, and both calls have to come over the same one.
 * @param sql with one connection
 */
export async function duringFileBackup(sql: Bun.SQL, copy: () => Promise<void>): Promise<FileBackup> {
  const slot = `sluice_backup_${process.pid}`;
  await sql`select pg_create_physical_replication_slot(${slot}, true, true)`;
  const [begun] = await sql`select pg_walfile_name(pg_backup_start('sluice', true)) as segment`;
  await copy();
  const [ended] = await sql`
    select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(false)`;
  return { label: ended.label, firstSegment: begun.segment, lastSegment: ended.segment };
}
