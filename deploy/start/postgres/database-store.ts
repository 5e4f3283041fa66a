/**
 * Creates a database unless it exists.
 * @param name a plain identifier of ours, never user input
 */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const sql = new Bun.SQL({ url: adminUrl, max: 1 });
  try {
    const existing = await sql`select 1 from pg_database where datname = ${name}`;
    if (existing.length === 0) {
      await sql.unsafe(`create database ${name}`);
    }
  } finally {
    await sql.close();
  }
}
