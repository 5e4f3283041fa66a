/** The contents of a schema, one statement for each kind of object; partitions are data and left out. */
const questions: readonly string[] = [
  `select 'relation', c.relkind, c.relname, pg_get_partkeydef(c.oid), c.reloptions, c.relacl, pg_get_viewdef(c.oid)
    from pg_class c where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and c.relkind in ('r', 'p', 'v', 'm', 'c', 'S', 'f')`,
  `select 'column', c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated,
      a.attstorage, a.attcollation::regcollation, a.attacl
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and c.relkind in ('r', 'p', 'v', 'm', 'c', 'f')
      and a.attnum > 0 and not a.attisdropped`,
  `select 'constraint', r.conrelid::regclass, r.conname, r.convalidated, pg_get_constraintdef(r.oid)
    from pg_constraint r left join pg_class c on c.oid = r.conrelid
    where r.connamespace = 'public'::regnamespace and c.relispartition is not true and r.contype <> 'n'`,
  `select 'index', i.indrelid::regclass, i.indisvalid, pg_get_indexdef(i.indexrelid)
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition`,
  `select 'function', p.oid::regprocedure, p.proacl, pg_get_functiondef(p.oid) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')`,
  `select 'trigger', pg_get_triggerdef(t.oid), t.tgenabled from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and not t.tgisinternal`,
  `select 'type', t.typname, t.typtype, (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid)
    from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e', 'r')`,
  `select 'sequence', s.seqrelid::regclass, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle
    from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relnamespace = 'public'::regnamespace`,
  `select 'comment', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description from pg_description d
    where d.classoid = 'pg_class'::regclass
      and d.objoid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  "select 'schema', nspname, nspacl from pg_namespace where nspname = 'public'",
];

/**
 * Everything about the schema `public` as sorted lines, so that two databases of one server can be compared: tables and
 * their columns in order, constraints, indexes, functions with their text, triggers, views, types, sequences, rights.
 */
export async function schemaFacts(sql: Bun.SQL): Promise<string[]> {
  const facts: string[] = [];
  for (const question of questions) {
    const rows: Record<string, unknown>[] = await sql.unsafe(`select fact::text from (${question}) fact`);
    facts.push(...rows.map(({ fact }) => String(fact)));
  }
  return facts.sort();
}
