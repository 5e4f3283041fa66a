import { z } from "zod";

/** All of them refuse what they do not declare, by one schema. */
const nothing = z.never();

/**
 * A `z.strictObject` whose fields are made when it first checks or describes something. A process has thousands of
 * schemas of about 26 objects each, which every full collection marks, and most endpoints are never asked.
 * @param makeShape called once at most, and not before the module of the schema is complete
 */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  makeShape: () => Shape,
): z.ZodObject<z.core.util.Writeable<Shape>, z.core.$strict> {
  let made: Shape | null = null;
  // The library resolves a shape that its definition answers by itself only when it needs the fields.
  const definition = {
    type: "object" as const,
    get shape(): Shape {
      made ??= makeShape();
      return made;
    },
    catchall: nothing,
  };
  return new z.ZodObject(definition) as z.ZodObject<z.core.util.Writeable<Shape>, z.core.$strict>;
}
