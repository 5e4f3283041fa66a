import { describe, expect, test } from "bun:test";
import { HeadTable, RequestHead } from "@sluice/control-plane/front/request-head.ts";

const rules = { targets: ["/v1/chat/completions"], rareFields: [] };

describe("a head that several connections repeat", () => {
  const derivedOf = (head: RequestHead, text: string) => {
    const bytes = Buffer.from(text);
    head.reset();
    expect(head.read(bytes, bytes.length)).toBe("serve");
    return head.fieldsOf(bytes).derived;
  };
  const key = (text: string, digits = "5") =>
    [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: sluice.example",
      `Content-Length: ${digits}`,
      `Authorization: Bearer ${text}`,
      "",
      "",
    ].join("\r\n");
  const opened = (own: HeadTable, text: string) => {
    const head = new RequestHead(own);
    derivedOf(head, text);
    return { head, derived: derivedOf(head, text) };
  };

  test("is kept once for all of them, whatever the lengths of their bodies", () => {
    const own = new HeadTable(rules);
    const [one, other] = [opened(own, key("a")), opened(own, key("a", "9"))];
    expect(one.derived).not.toBeNull();
    expect(other.derived).toBe(one.derived);
    expect(opened(own, key("a", "2060")).derived).toBe(opened(own, key("a", "9915")).derived);
  });

  test("is not that of another key, nor one with a length of more digits", () => {
    const own = new HeadTable(rules);
    const kept = [key("a"), key("b"), key("a", "15")].map((text) => opened(own, text).derived);
    expect(new Set(kept).size).toBe(3);
  });

  test("stays that of the others when one of them sends another one", () => {
    const own = new HeadTable(rules);
    const [one, other] = [opened(own, key("a")), opened(own, key("a"))];
    expect(derivedOf(one.head, key("b"))).toBeNull();
    expect(derivedOf(other.head, key("a"))).toBe(other.derived);
    expect(opened(own, key("a")).derived).toBe(other.derived);
    const fields = (head: RequestHead) => head.fieldsOf(Buffer.from(key("a"))).get("authorization");
    expect(fields(other.head)).toBe("Bearer a");
  });

  test("is forgotten with the last of them", () => {
    const own = new HeadTable(rules);
    const [one, other] = [opened(own, key("a")), opened(own, key("a"))];
    one.head.close();
    expect(opened(own, key("a")).derived).toBe(other.derived);
    const last = new HeadTable(rules);
    const only = opened(last, key("a"));
    only.head.close();
    only.head.close();
    expect(opened(last, key("a")).derived).not.toBe(only.derived);
  });
});
