import { describe, expect, test } from "bun:test";
import { patternInstance } from "@sluice/sandbox-provider/api/pattern-instance";
import { schemaInstance } from "@sluice/sandbox-provider/api/schema-instance";
import fc from "fast-check";
import { z } from "zod";

const numRuns = process.env["TEST_FULL"] === "1" ? 5_000 : 300;

/** Schemas of any nesting, each with its own check of what is valid. */
const anySchema: fc.Arbitrary<z.ZodType> = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<z.ZodType>(z.string(), z.boolean(), z.null(), z.int(), z.number(), z.literal("x"), z.literal(7)),
    fc.constantFrom<z.ZodType>(z.email(), z.uuid(), z.iso.datetime(), z.iso.date(), z.ipv4(), z.url()),
    fc
      .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 50 }), fc.boolean())
      .map(([low, span, isWhole]) => (isWhole ? z.int() : z.number()).min(low).max(low + span)),
    fc
      .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 7 }))
      .map(([low, step]) => z.int().gt(low).multipleOf(step)),
    fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })).map(([low, span]) =>
      z
        .string()
        .min(low)
        .max(low + span),
    ),
    fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }).map((names) => z.enum(names)),
    tie("schema").map((inner) => z.nullable(inner)),
    fc.tuple(tie("schema"), fc.nat({ max: 3 }), fc.nat({ max: 3 })).map(([inner, low, span]) =>
      z
        .array(inner)
        .min(low)
        .max(low + span),
    ),
    fc.tuple(tie("schema"), tie("schema")).map(([left, right]) => z.union([left, right])),
    fc.tuple(tie("schema"), tie("schema")).map(([left, right]) => z.tuple([left, right])),
    fc
      .dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.tuple(tie("schema"), fc.boolean()), { maxKeys: 4 })
      .map((fields) =>
        z.strictObject(
          Object.fromEntries(
            Object.entries(fields).map(([name, [inner, isOptional]]) => [name, isOptional ? inner.optional() : inner]),
          ),
        ),
      ),
  ),
})).schema;

describe("an instance", () => {
  test("is valid for any schema that a client would write", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const { success, error } = schema.safeParse(schemaInstance(z.toJSONSchema(schema)));
        if (!success) {
          throw new Error(z.prettifyError(error));
        }
      }),
      { numRuns },
    );
  });

  test("of a recursive schema ends", () => {
    type Tree = { readonly value: number; readonly left: Tree | null; readonly children: readonly Tree[] };
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.strictObject({ value: z.number(), left: tree.nullable(), children: z.array(tree) }),
    );
    const instance = schemaInstance(z.toJSONSchema(tree));
    expect(tree.safeParse(instance).success).toBeTrue();
    expect(JSON.stringify(instance).length).toBeLessThan(5_000);
  });

  test("of a schema that never ends, or is invalid, is still a value", () => {
    const endless = {
      $ref: "#/$defs/a",
      $defs: { a: { type: "object", required: ["b"], properties: { b: { $ref: "#/$defs/a" } } } },
    };
    expect(JSON.stringify(schemaInstance(endless))).toStartWith('{"b":{"b":');
    expect(schemaInstance({ $ref: "#" })).toBeString();
    for (const odd of [undefined, null, true, 7, [], {}, { type: "nonsense" }, { enum: [] }, { anyOf: [] }]) {
      expect(() => JSON.stringify(schemaInstance(odd))).not.toThrow();
    }
  });

  test("joins the parts of allOf and keeps required fields that have no schema", () => {
    const schema = {
      allOf: [
        { properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: { enum: ["x"] } }, required: ["b", "c"] },
      ],
    };
    expect(schemaInstance(schema)).toEqual({ a: 1, b: "x", c: "sandbox c" });
  });

  test("has as many different items as a set requires", () => {
    expect(schemaInstance({ type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true })).toEqual([
      1, 2, 3,
    ]);
    expect(schemaInstance({ items: { enum: ["a", "b"] }, minItems: 2, uniqueItems: true })).toEqual(["a", "b"]);
  });
});

describe("a text for a pattern", () => {
  const patterns = [
    "^[A-Z]{2}-\\d{4}$",
    "^(foo|bar)+\\.(com|org)$",
    "^[^a-z]\\S\\s\\w$",
    "^\\+?[1-9]\\d{1,14}$",
    "^a{3}b{2,}c{0,1}d*?e+?$",
    "^(?:x|(?<named>y))z$",
    "^[\\d.\\]]+\\/\\{\\}$",
    "^#[0-9a-fA-F]{6}$",
    "^$",
    "needle",
    "\\bword\\b",
    "^[é]$",
    "^\\p{L}+$",
  ];
  for (const pattern of patterns) {
    test(`matches ${pattern}`, () => {
      expect(patternInstance(pattern, 0)).toMatch(new RegExp(pattern, pattern.includes("\\p") ? "u" : ""));
    });
  }

  test("is as long as required", () => {
    expect(patternInstance("^[a-z]+$", 20)).toMatch(/^[a-z]{20,}$/);
    expect(patternInstance("^[a-z]{1,5}$", 4)).toMatch(/^[a-z]{4,5}$/);
  });

  test("for a broken pattern is still a text", () => {
    for (const broken of ["(", "[", "a{", "\\", "(?<", "[z-a]", ")"]) {
      expect(patternInstance(broken, 0)).toBeString();
    }
  });
});
