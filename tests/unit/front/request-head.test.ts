import { describe, expect, test } from "bun:test";
import { METHODS } from "node:http";
import { HeadTable, headBytesMax, RequestHead, type Verdict } from "@sluice/control-plane/front/request-head.ts";
import { parserCases } from "../../support/front/llhttp-cases.ts";
import { byteCases, tabsInValues } from "../../support/front/smuggling-cases.ts";

const targets = ["/v1/chat/completions", "/v1/messages", "/v1/messages?beta=true"];
const rules = { targets, rareFields: ["origin"] };
const table = new HeadTable(rules);
const line = "POST /v1/chat/completions HTTP/1.1";
const host = "Host: sluice.example";
const length = "Content-Length: 5";

const readHead = (text: string): { head: RequestHead; verdict: Verdict } => {
  const bytes = Buffer.from(text, "latin1");
  const head = new RequestHead(table);
  return { head, verdict: head.read(bytes, bytes.length) };
};
const request = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const withFields = (...fields: readonly string[]): string => request(line, host, length, ...fields);
const withLength = (value: string): string => request(line, host, `Content-Length:${value}`);
const fieldsOf = (text: string) => readHead(text).head.fieldsOf(Buffer.from(text, "latin1"));

type Case = readonly [name: string, text: string, verdict: Verdict];

const requestLines: readonly Case[] = [
  ["a chat call", withFields(), "serve"],
  ["a target with its query", request("POST /v1/messages?beta=true HTTP/1.1", host, length), "serve"],
  ["another query", request("POST /v1/messages?beta=1 HTTP/1.1", host, length), "hand_over"],
  ["another method", request("GET /v1/chat/completions HTTP/1.1", host), "hand_over"],
  ["a method in lower case", request("post /v1/chat/completions HTTP/1.1", host, length), "hand_over"],
  ["a method with a letter too many", request("POSTT /v1/chat/completions HTTP/1.1", host, length), "hand_over"],
  ["another path", request("POST /v1/embeddings HTTP/1.1", host, length), "hand_over"],
  ["a slash at the end", request("POST /v1/chat/completions/ HTTP/1.1", host, length), "hand_over"],
  ["an encoded letter", request("POST /v1/%63hat/completions HTTP/1.1", host, length), "hand_over"],
  ["the absolute form", request("POST http://x/v1/chat/completions HTTP/1.1", host, length), "hand_over"],
  ["the asterisk form", request("OPTIONS * HTTP/1.1", host), "hand_over"],
  ["the authority form", request("CONNECT sluice.example:443 HTTP/1.1", host), "hand_over"],
  ["a fragment", request("POST /v1/chat/completions#a HTTP/1.1", host, length), "hand_over"],
  ["two spaces", request("POST  /v1/chat/completions HTTP/1.1", host, length), "hand_over"],
  ["a tab for a space", request("POST\t/v1/chat/completions HTTP/1.1", host, length), "hand_over"],
  ["a space after the version", request("POST /v1/chat/completions HTTP/1.1 ", host, length), "hand_over"],
  ["no version", request("POST /v1/chat/completions", host, length), "hand_over"],
  ["HTTP/1.0", request("POST /v1/chat/completions HTTP/1.0", host, length), "hand_over"],
  ["HTTP/1.2", request("POST /v1/chat/completions HTTP/1.2", host, length), "hand_over"],
  ["HTTP/2.0", request("POST /v1/chat/completions HTTP/2.0", host, length), "hand_over"],
  ["a version in lower case", request("POST /v1/chat/completions http/1.1", host, length), "hand_over"],
  ["a line feed alone", `${line}\n${host}\n${length}\n\n`, "hand_over"],
  ["a carriage return alone", `${line}\r${host}\r\n${length}\r\n\r\n`, "hand_over"],
  ["an empty line in front", `\r\n${withFields()}`, "hand_over"],
  ["a space in front", ` ${withFields()}`, "hand_over"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "hand_over"],
  ["the beginning of TLS", "\x16\x03\x01\x02\x00\x01", "hand_over"],
  ["a NUL in front", `\0${withFields()}`, "hand_over"],
  ["nothing", "", "more"],
  ["part of the line", "POST /v1/chat/comp", "more"],
  ["part of a name", `${line}\r\nHos`, "more"],
  ["a name without a value", `${line}\r\nHost:`, "more"],
  ["half of a line end", `${line}\r\n${host}\r`, "more"],
  ["half of the last line end", `${line}\r\n${host}\r\n${length}\r\n\r`, "more"],
];

const lengths: readonly Case[] = [
  ["one", withLength(" 5"), "serve"],
  ["without a space", withLength("5"), "serve"],
  ["with blanks around it", withLength(" \t 5 \t "), "serve"],
  ["zero", withLength(" 0"), "serve"],
  ["none", request(line, host), "hand_over"],
  ["a zero in front", withLength(" 05"), "hand_over"],
  ["an empty one", withLength(" "), "refuse"],
  ["a plus", withLength(" +5"), "refuse"],
  ["a minus", withLength(" -5"), "refuse"],
  ["hexadecimal", withLength(" 0x5"), "refuse"],
  ["a letter", withLength(" 5a"), "refuse"],
  ["a point", withLength(" 5.0"), "refuse"],
  ["an exponent", withLength(" 1e1"), "refuse"],
  ["an underscore", withLength(" 1_0"), "refuse"],
  ["a space within", withLength(" 5 5"), "refuse"],
  ["a list", withLength(" 5, 5"), "refuse"],
  ["a list with one place empty", withLength(" 5,"), "refuse"],
  ["quotes", withLength(' "5"'), "refuse"],
  ["more than 64 bits", withLength(" 18446744073709551621"), "refuse"],
  ["more than numbers hold exactly", withLength(" 9007199254740993"), "refuse"],
  ["the same twice", request(line, host, length, length), "refuse"],
  ["two", request(line, host, length, "Content-Length: 6"), "refuse"],
  ["two, in other letters", request(line, host, length, "cOnTeNt-LeNgTh: 6"), "refuse"],
  ["a name that only resembles it", request(line, host, length, "Content_Length: 6"), "serve"],
];

const encodings: readonly Case[] = [
  ["chunks", request(line, host, "Transfer-Encoding: chunked"), "hand_over"],
  ["a length and chunks", request(line, host, length, "Transfer-Encoding: chunked"), "refuse"],
  ["chunks and a length", request(line, host, "Transfer-Encoding: chunked", length), "refuse"],
  ["in other letters", request(line, host, length, "tRANSFER-eNCODING: chunked"), "refuse"],
  ["an unknown one and a length", request(line, host, length, "Transfer-Encoding: xchunked"), "refuse"],
  ["identity and a length", request(line, host, length, "Transfer-Encoding: identity"), "refuse"],
  ["an empty one and a length", request(line, host, length, "Transfer-Encoding:"), "refuse"],
  ["two and a length", request(line, host, "Transfer-Encoding: chunked", "Transfer-Encoding: x", length), "refuse"],
  ["a vertical tab in it", request(line, host, length, "Transfer-Encoding: \x0bchunked"), "refuse"],
  ["a space before the colon", request(line, host, length, "Transfer-Encoding : chunked"), "refuse"],
  ["a tab before the colon", request(line, host, length, "Transfer-Encoding\t: chunked"), "refuse"],
  ["on a folded line", request(line, host, length, "X-A: a", " Transfer-Encoding: chunked"), "refuse"],
  ["folded itself", request(line, host, length, "Transfer-Encoding:", " chunked"), "refuse"],
  ["after a line feed", request(line, host, length, "X-A: a\nTransfer-Encoding: chunked"), "refuse"],
  ["after a carriage return", request(line, host, length, "X-A: a\rTransfer-Encoding: chunked"), "refuse"],
  ["after a NUL", request(line, host, length, "X-A: a\0", "Transfer-Encoding: chunked"), "refuse"],
  ["with a NUL in its name", request(line, host, length, "Transfer-Encoding\0: chunked"), "refuse"],
];

/** What may be in the fields that decide about the connection. */
const connections: readonly Case[] = [
  ["kept", withFields("Connection: keep-alive"), "serve"],
  ["kept, in other letters", withFields("CONNECTION: KEEP-ALIVE"), "serve"],
  ["closed", withFields("Connection: close"), "serve"],
  ["closed, with blanks around it", withFields("Connection:\t close \t"), "serve"],
  ["without an option", withFields("Connection:"), "hand_over"],
  ["with a comma alone", withFields("Connection: ,"), "hand_over"],
  ["closed and kept", withFields("Connection: close, keep-alive"), "hand_over"],
  ["kept and closed in two fields", withFields("Connection: keep-alive", "Connection: close"), "serve"],
  ["closed, with something behind it", withFields("Connection: closed"), "hand_over"],
  ["kept, with something behind it", withFields("Connection: keep-alive;"), "hand_over"],
  ["upgraded and closed", withFields("Connection: upgrade, close", "Upgrade: h2c"), "hand_over"],
  ["upgraded without saying so", withFields("Upgrade: websocket"), "hand_over"],
  [
    "upgraded to HTTP/2",
    withFields("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
    "hand_over",
  ],
  ["settings of HTTP/2 alone", withFields("HTTP2-Settings: AAMAAABk"), "hand_over"],
  ["with the name that proxies had", withFields("Proxy-Connection: keep-alive"), "hand_over"],
  ["with a time", withFields("Keep-Alive: timeout=5"), "hand_over"],
  ["with a trailer", withFields("Trailer: X-A"), "hand_over"],
  ["with the length among its options", withFields("Connection: content-length"), "hand_over"],
];

const others: readonly Case[] = [
  ["no host", request(line, length), "hand_over"],
  ["two hosts", withFields("Host: other.example"), "hand_over"],
  ["an empty host", request(line, "Host:", length), "hand_over"],
  ["a host with a path", request(line, "Host: a/b", length), "hand_over"],
  ["a host with a user", request(line, "Host: a@b", length), "hand_over"],
  ["a host with a port", request(line, "Host: sluice.example:8443", length), "serve"],
  ["a host in brackets", request(line, "Host: [::1]:8443", length), "serve"],
  ["a connection that stays", withFields("Connection: Keep-Alive"), "serve"],
  ["a list of connection options", withFields("Connection: keep-alive, x"), "hand_over"],
  ["an unknown connection option", withFields("Connection: x"), "hand_over"],
  ["an interim response is awaited", withFields("Expect: 100-continue"), "hand_over"],
  ["another protocol is offered", withFields("Connection: upgrade", "Upgrade: websocket"), "hand_over"],
  ["trailers", withFields("TE: trailers"), "hand_over"],
  ["a field that the settings name", withFields("Origin: https://app.example"), "hand_over"],
  ["letters beyond ASCII in a value", withFields("X-A: \xe9"), "hand_over"],
  ["letters beyond ASCII in a name", withFields("X-\xe9: a"), "refuse"],
  ["a line without a colon", withFields("X-A"), "refuse"],
  ["a line without a name", withFields(": a"), "refuse"],
  ["a space in a name", withFields("X A: a"), "refuse"],
  ["parentheses in a name", withFields("X(A): a"), "refuse"],
  ["a space in front of the first name", request(line, ` ${host}`, length), "refuse"],
  ["a NUL in a value", withFields("X-A: a\0b"), "refuse"],
  ["DEL in a value", withFields("X-A: a\x7fb"), "refuse"],
  ["a line feed in a value", withFields("X-A: a\nb"), "refuse"],
  ["a carriage return in a value", withFields("X-A: a\rb"), "refuse"],
  ["two carriage returns at the end of a line", withFields("X-A: a\r"), "refuse"],
  ["a head that ends in line feeds", `${line}\r\n${host}\r\n${length}\n\n`, "refuse"],
  ["a head that ends in a carriage return and something", `${line}\r\n${host}\r\n${length}\r\n\rx`, "refuse"],
  ["an empty value", withFields("X-A:"), "serve"],
  ["a tab within a value", withFields("X-A: a\tb"), "serve"],
  ["every letter of a name", withFields("!#$%&'*+-.^_`|~09azAZ: a"), "serve"],
  ["100 fields", withFields(...Array.from({ length: 98 }, (_, index) => `X-${index}: a`)), "serve"],
  ["101 fields", withFields(...Array.from({ length: 99 }, (_, index) => `X-${index}: a`)), "hand_over"],
  ["a head that is too long", withFields(`X-A: ${"a".repeat(headBytesMax)}`), "hand_over"],
  ["a name that is too long", `${line}\r\n${"a".repeat(headBytesMax)}`, "hand_over"],
];

const cases: readonly Case[] = [
  ...[...requestLines, ...lengths, ...encodings, ...connections, ...others],
  ...parserCases,
];

describe("the head of a request", () => {
  test.each([...requestLines])("that begins with %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test.each([...lengths])("whose length is %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test.each([...encodings])("whose encoding is %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test.each([...connections])("whose connection is %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test.each([...others])("with %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test.each([...parserCases])("in the case of another parser: %s", (_, text, verdict) => {
    expect(readHead(text).verdict).toBe(verdict);
  });

  test("with an encoding or a second length hidden by any byte is never served", () => {
    expect(byteCases.length).toBeGreaterThan(3_000);
    const served = byteCases.filter(({ text }) => readHead(text).verdict === "serve");
    // A tab is a blank within a value, so that there is nothing hidden in these.
    expect(served.map(({ name }) => name)).toEqual(tabsInValues);
  });

  test("of any method but POST is the runtime's, at every target", () => {
    expect(METHODS.length).toBeGreaterThan(30);
    for (const method of [...METHODS, "QUERY", "POS", "POSTX", "PoST"].filter((name) => name !== "POST")) {
      for (const target of [...targets, "*", "/"]) {
        expect([method, target, readHead(request(`${method} ${target} HTTP/1.1`, host, length)).verdict]).toEqual([
          method,
          target,
          "hand_over",
        ]);
      }
    }
  });

  test("means the same wherever it is cut in two", () => {
    for (const [name, text, verdict] of cases) {
      const bytes = Buffer.from(text, "latin1");
      // Each cut of a long head would take a minute, and shows nothing that those of the short ones don't.
      for (let cut = 1; cut < bytes.length && bytes.length < 400; cut += 1) {
        const head = new RequestHead(table);
        const early = head.read(bytes, cut);
        expect([name, cut, early === "more" ? head.read(bytes, bytes.length) : early]).toEqual([name, cut, verdict]);
      }
    }
  });

  test("ends where the next request begins, whatever that one is", () => {
    const first = withFields();
    for (const [name, next] of cases) {
      const { head, verdict } = readHead(`${first}12345${next}`);
      expect([name, verdict, head.end, head.contentLength]).toEqual([name, "serve", first.length, 5]);
    }
  });

  test("gives its target, its length, its fields and the place of the body", () => {
    const text = request("POST /v1/messages HTTP/1.1", host, "X-Api-Key:\t a b \t", "content-LENGTH: 12", "X-B:");
    const { head, verdict } = readHead(`${text}{"a"`);
    expect([verdict, head.target, head.contentLength, head.end, head.isLast]).toEqual([
      "serve",
      "/v1/messages",
      12,
      text.length,
      false,
    ]);
    const fields = fieldsOf(text);
    expect([...fields]).toEqual([
      ["host", "sluice.example"],
      ["x-api-key", "a b"],
      ["content-length", "12"],
      ["x-b", ""],
    ]);
    const names = ["host", "x-api-key", "x-b", "x", "content-type"];
    expect(names.map((name) => fields.get(name))).toEqual(["sluice.example", "a b", "", null, null]);
  });

  test("gives the values of a repeated field in one line, as other servers do", () => {
    const text = withFields("X-A: a", "x-a: b, c", "X-A:");
    const runtimes = new Headers([
      ["X-A", "a"],
      ["x-a", "b, c"],
      ["X-A", ""],
    ]);
    expect(fieldsOf(text).get("x-a")).toBe(runtimes.get("x-a"));
  });

  test("gives each of its fields, however many there are, and when they come in two pieces", () => {
    for (let count = 1; count <= 98; count += 1) {
      const sent = Array.from({ length: count }, (_, index) => [`x-${index}`, `value ${index}`] as const);
      const text = withFields(...sent.map(([name, value]) => `${name}: ${value}`));
      const bytes = Buffer.from(text, "latin1");
      const head = new RequestHead(table);
      head.read(bytes, bytes.length - 20);
      expect(head.read(bytes, bytes.length)).toBe("serve");
      expect([...head.fieldsOf(bytes)].slice(2)).toEqual(sent.map((field) => [...field]));
    }
  });

  test("says when the client wants the connection to be closed", () => {
    expect(readHead(withFields("Connection: CLOSE")).head.isLast).toBeTrue();
  });

  test("is forgotten before the next one", () => {
    const { head } = readHead(withFields("Connection: close", "Expect: 100-continue"));
    head.reset();
    const next = Buffer.from(withFields());
    expect([head.read(next, next.length), head.isLast, head.contentLength]).toEqual(["serve", false, 5]);
  });

  test.each([...cases])("is judged the same in single bytes: %s", (_, text) => {
    const whole = readHead(text).verdict;
    const bytes = Buffer.from(text, "latin1");
    const head = new RequestHead(table);
    let verdict: Verdict = "more";
    for (let count = 1; count <= bytes.length && verdict === "more"; count += 1) {
      // What comes later is not yet there to be looked at.
      const soFar = Buffer.alloc(bytes.length, "\n");
      bytes.copy(soFar, 0, 0, count);
      verdict = head.read(soFar, count);
    }
    expect(verdict).toBe(whole);
  });

  test("is judged, read and remembered the same after one that was served, and when it is repeated", () => {
    const seen = (head: RequestHead, text: string) => {
      const bytes = Buffer.from(text, "latin1");
      head.reset();
      const verdict = head.read(bytes, bytes.length);
      if (verdict !== "serve") {
        return { verdict };
      }
      const fields = head.fieldsOf(bytes);
      // Asked for twice: what was found once is remembered.
      const values = [...fields, ...fields].map(([name]) => [name, fields.get(name)]);
      const { target, end, contentLength, isLast } = head;
      return { verdict, target, end, contentLength, isLast, values, all: [...fields] };
    };
    const first = withFields("X-A: a", "Authorization: Bearer sk-a");
    const differing = [
      ...cases.map(([, text]) => text),
      ...["0", "6", "05", "15", "5 ", "x", ""].map((digits) => first.replace("gth: 5", `gth: ${digits}`)),
      // Every byte of the first one changed, and every cut of it.
      ...Array.from(first, (_, at) => `${first.slice(0, at)}!${first.slice(at + 1)}`),
      ...Array.from(first, (_, at) => first.slice(0, at)),
      `${first}{"a"`,
    ];
    for (const text of differing) {
      const head = new RequestHead(table);
      for (const each of [first, first, text, first.replace("gth: 5", "gth: 7"), text]) {
        expect([text, seen(head, each)]).toEqual([text, seen(new RequestHead(table), each)]);
      }
    }
  });

  test("is not served with a length that begins with a zero, after one with as many digits", () => {
    const head = new RequestHead(table);
    const read = (digits: string) => {
      const bytes = Buffer.from(withFields().replace("gth: 5", `gth: ${digits}`));
      head.reset();
      const verdict = head.read(bytes, bytes.length);
      if (verdict === "serve") {
        head.fieldsOf(bytes);
      }
      return [verdict, head.contentLength];
    };
    expect([read("15"), read("42")]).toEqual([
      ["serve", 15],
      ["serve", 42],
    ]);
    expect(read("05")[0]).toBe("hand_over");
    expect(read("10")).toEqual(["serve", 10]);
  });

  test("keeps what was derived from it while it repeats", () => {
    const head = new RequestHead(table);
    const derivedOf = (text: string) => {
      const bytes = Buffer.from(text);
      head.reset();
      head.read(bytes, bytes.length);
      return head.fieldsOf(bytes).derived;
    };
    const key = (text: string) => withFields(`Authorization: Bearer ${text}`);
    expect(derivedOf(key("a"))).toBeNull();
    const derived = derivedOf(key("a"));
    expect(derived).not.toBeNull();
    expect(derivedOf(key("a"))).toBe(derived);
    expect(derivedOf(key("b"))).toBeNull();
    expect(derivedOf(key("a"))).toBeNull();
  });
});
