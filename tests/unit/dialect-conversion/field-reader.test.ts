import { describe, expect, test } from "bun:test";
import { FieldReader } from "@sluice/dialect-conversion/field-reader";
import { ConversionError } from "@sluice/dialect-conversion/model";

const paramOf = (act: () => unknown): string | null => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(ConversionError);
    return (error as ConversionError).param;
  }
  throw new Error("nothing was refused");
};

const reader = new FieldReader({ a: "x", n: 2, b: true, o: { i: 1 }, l: [{ c: 3 }], e: "", z: null }, "input[0]");

describe("a field of a request", () => {
  test("is absent when it is null", () => {
    expect(reader.text("z")).toBeNull();
    expect(reader.has("z")).toBe(false);
    expect(reader.list("z")).toBeNull();
  });

  test("has the type that is asked for", () => {
    expect(reader.requiredName("a")).toBe("x");
    expect(reader.positiveInteger("n")).toBe(2);
    expect(reader.flag("b")).toBe(true);
    expect(reader.object("o")?.number("i")).toBe(1);
    expect(reader.objects("l")[0]?.at).toBe("input[0].l[0]");
  });

  test.each<[string, () => unknown, string]>([
    ["a text", () => reader.text("n"), "input[0].n"],
    ["a missing text", () => reader.requiredText("z"), "input[0].z"],
    ["an empty name", () => reader.requiredName("e"), "input[0].e"],
    ["one of several", () => reader.oneOf("a", ["y"]), "input[0].a"],
    ["a boolean", () => reader.flag("a"), "input[0].a"],
    ["a number", () => reader.number("a"), "input[0].a"],
    ["an integer", () => new FieldReader({ n: 1.5 }, "").positiveInteger("n"), "n"],
    ["an object", () => reader.object("l"), "input[0].l"],
    ["a list", () => reader.list("o"), "input[0].o"],
    ["a list of objects", () => new FieldReader({ l: [{}, 1] }, "").objects("l"), "l[1]"],
  ])("is refused by its path when it is not %s", (_what, act, path) => {
    expect(paramOf(act)).toBe(path);
  });
});
