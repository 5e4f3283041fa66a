import { z } from "zod";

/** One schema by which all of them refuse fields that they do not declare. */
const nothing = z.never();

/**
 * A `z.strictObject` whose fields are made when it first checks or describes something. A process would have thousands of
 * schemas of about 26 objects each, which every full collection marks, and most endpoints are never called.
 * @param makeShape called once at most: by the first check or description, or when an object is derived from this one by
 *   its fields (`extend`, `pick` and the like)
 */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  makeShape: () => Shape,
): z.ZodObject<z.core.util.Writeable<Shape>, z.core.$strict> {
  let made: Shape | null = null;
  // The library reads a shape that is a getter only when it needs the fields.
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
