/**
 * Makes the schema of each length once. A schema is about 26 objects for each of its checks, which a process keeps for as
 * long as it lives, and many fields have the same length.
 */
export function byLength<Schema>(make: (lengthMax: number) => Schema): (lengthMax: number) => Schema {
  const made = new Map<number, Schema>();
  return (lengthMax) => {
    const schema = made.get(lengthMax) ?? make(lengthMax);
    made.set(lengthMax, schema);
    return schema;
  };
}
