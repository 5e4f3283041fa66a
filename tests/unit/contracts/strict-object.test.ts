import { expect, test } from "bun:test";
import { strictObject } from "@sluice/contracts/strict-object";
import { z } from "zod";

const fieldsOf = () => ({
  name: z.string().min(1).max(5),
  count: z.int().default(3),
  inner: z.strictObject({ flag: z.boolean() }).optional(),
});

/** Valid and invalid bodies. */
const bodies: readonly unknown[] = [
  ...[
    {},
    { name: "a" },
    { name: "a", count: 1, inner: { flag: true } },
    { name: "a", other: 1 },
    { name: "" },
    { name: 1 },
  ],
  ...[
    { name: "a", inner: { flag: 1, more: 2 } },
    { name: "a", inner: null },
    { name: "a", count: 0.5 },
  ],
  ...[JSON.parse('{"name":"a","__proto__":{"count":9}}'), { name: "a", constructor: 1 }, Object.create({ name: "a" })],
  ...[null, undefined, [], "name", 7, [["name", "a"]]],
];

const outcomeOf = (schema: z.ZodType, body: unknown): unknown => {
  const { success, data, error } = schema.safeParse(body);
  return success ? { data } : { issues: error.issues };
};

test("the first check accepts and refuses the same as that of a strict object that is made at once", () => {
  for (const body of bodies) {
    const late = strictObject(fieldsOf);
    expect(outcomeOf(late, body)).toEqual(outcomeOf(z.strictObject(fieldsOf()), body));
    expect(outcomeOf(late, body)).toEqual(outcomeOf(z.strictObject(fieldsOf()), body));
  }
});

test("fields are made once, by the first check, and shared by schemas that were derived before it", () => {
  let times = 0;
  const late = strictObject(() => {
    times += 1;
    return fieldsOf();
  });
  const derived = [late.optional(), z.array(late), z.union([late, z.null()]), late.refine(() => true), late.nullable()];
  expect(times).toBe(0);
  expect(outcomeOf(late, { name: "abcdef" })).toEqual(outcomeOf(z.strictObject(fieldsOf()), { name: "abcdef" }));
  for (const each of derived) {
    each.safeParse({ name: "a" });
    each.safeParse([{ name: "a" }]);
  }
  expect(times).toBe(1);
});

test("its derived objects and its description are those of a strict object that is made at once", () => {
  const [late, early] = [strictObject(fieldsOf), z.strictObject(fieldsOf())];
  const pairs = [
    [late, early],
    [late.extend({ more: z.string() }), early.extend({ more: z.string() })],
    [late.pick({ name: true }), early.pick({ name: true })],
    [late.omit({ name: true }), early.omit({ name: true })],
    [late.partial(), early.partial()],
    [late.required(), early.required()],
    [late.safeExtend({ count: z.int().max(2) }), early.safeExtend({ count: z.int().max(2) })],
    [late.keyof(), early.keyof()],
    [late.shape.inner, early.shape.inner],
    [late.strip(), early.strip()],
  ] as const;
  for (const [one, other] of pairs) {
    expect(z.toJSONSchema(one)).toEqual(z.toJSONSchema(other));
    for (const body of bodies) {
      expect(outcomeOf(one, body)).toEqual(outcomeOf(other, body));
    }
  }
});

test("refinements, discriminated unions and objects in objects refuse with the same texts and paths", () => {
  const late = {
    ok: strictObject(() => ({ kind: z.literal("ok"), ...fieldsOf() })),
    failed: strictObject(() => ({ kind: z.enum(["failed", "gone"]), code: z.string().min(2) })),
  };
  const early = {
    ok: z.strictObject({ kind: z.literal("ok"), ...fieldsOf() }),
    failed: z.strictObject({ kind: z.enum(["failed", "gone"]), code: z.string().min(2) }),
  };
  const ofAll = ({ ok, failed }: typeof late) => {
    const refined = ok.refine(({ count }) => count !== 9, { path: ["count"], error: "not nine" });
    return z.discriminatedUnion("kind", [refined, failed.extend({ list: z.array(ok).default([]) })]);
  };
  const [one, other] = [ofAll(late), ofAll(early)];
  for (const body of [
    ...bodies,
    ...bodies.map((each) => ({ kind: "failed", code: "x", list: [each] })),
    ...[1, 9].map((count) => ({ kind: "ok", name: "a", count })),
    { kind: "ok", name: "a", other: 1 },
    { kind: "gone", code: "ab", list: [{ kind: "ok", name: "", inner: { flag: 1 } }] },
    { kind: "unknown" },
  ]) {
    expect(outcomeOf(one, body)).toEqual(outcomeOf(other, body));
  }
  expect(z.toJSONSchema(one)).toEqual(z.toJSONSchema(other));
});

test("fields that could not be made are made by the next check", () => {
  let isReady = false;
  const late = strictObject(() => {
    if (!isReady) {
      throw new ReferenceError("a module is not loaded yet");
    }
    return fieldsOf();
  });
  expect(() => late.safeParse({ name: "a" })).toThrow(ReferenceError);
  isReady = true;
  expect(outcomeOf(late, { name: "a" })).toEqual({ data: { name: "a", count: 3 } });
});
