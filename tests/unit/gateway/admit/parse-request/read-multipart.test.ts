import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import type { ParsedRequest } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { viewOf } from "@sluice/http-client/packet-part";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";

const edits = "/v1/images/edits";
const typeOf = (boundary: string) => `multipart/form-data; boundary=${boundary}`;

const parse = (body: string | Buffer, contentType = typeOf("B"), path = edits): ParsedRequest =>
  parseRequest(Buffer.from(body), contentType, findOperation(path));

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) {
      return `${error.code} ${error.param}`;
    }
    throw error;
  }
  return "nothing was thrown";
}

const part = (name: string, value: string, boundary = "B") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const good = part("model", "img") + part("prompt", "a cat");
const image = '--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nPNG\r\n';

/** What another form parser finds in the body that goes to a provider. */
async function readBack({ body, contentType }: ParsedRequest): Promise<[string, string][]> {
  const form = await new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": contentType ?? "" },
  }).formData();
  const found: [string, string][] = [];
  for (const [name, value] of form.entries()) {
    found.push([name, typeof value === "string" ? value : `${value.name}|${await value.text()}`]);
  }
  return found;
}

describe("a part that only one of two parsers would find", () => {
  test.each([
    [
      "after a last delimiter inside of a text",
      `${part("model", "img")}${part("prompt", "cat --B-- x")}${part("n", "8")}--B--`,
    ],
    [
      "after a delimiter inside of a text",
      `${part("model", "img")}${part("prompt", "cat --B x")}${part("n", "8")}--B--`,
    ],
    [
      "after a delimiter in the middle of a line",
      `${part("model", "img")}${part("prompt", `cat ${part("n", "8").trimEnd()}`)}--B--`,
    ],
    ["after the last delimiter", `${good}--B--\r\n${part("n", "8")}--B--`],
    ["after the last delimiter, on its line", `${good}--B--${part("n", "8")}--B--`],
    ["after a delimiter after a bare line feed", `${good}--B\nContent-Disposition: form-data; name="n"\n\n8\n--B--`],
    ["after a delimiter with spaces", `${good}--B  \r\nContent-Disposition: form-data; name="n"\r\n\r\n8\r\n--B--`],
    ["before the first delimiter", `preamble --C\r\n${good}--B--`],
    ["in front of the form", `\r\n\r\n${good}--B--`],
    ["without an end", good],
    ["cut in its end", `${good}--B`],
    ["cut in its end by half", `${good}--B-`],
    [
      "with a delimiter in its head",
      `${good}--B\r\nContent-Disposition: form-data; name="x"; a="--B"\r\n\r\n8\r\n--B--`,
    ],
    ["with a delimiter that begins alike", `${good}${part("x", "1", "Bx")}--B--`],
    [
      "in a head without an end of its lines",
      `${good}--B\r\nContent-Disposition: form-data; name="n"\r\nX: 1\n\r\n\r\n8\r\n--B--`,
    ],
    ["with a folded head", `${good}--B\r\nContent-Disposition: form-data;\r\n name="n"\r\n\r\n8\r\n--B--`],
    ["with two names", `${good}--B\r\nContent-Disposition: form-data; name="x"; name="n"\r\n\r\n8\r\n--B--`],
    [
      "with a name in pieces",
      `${good}--B\r\nContent-Disposition: form-data; name*0="mo"; name*1="del"\r\n\r\n8\r\n--B--`,
    ],
    [
      "with an encoded name",
      `${good}--B\r\nContent-Disposition: form-data; name="x"; name*=utf-8''n\r\n\r\n8\r\n--B--`,
    ],
    [
      "with two dispositions",
      `${good}--B\r\nContent-Disposition: form-data; name="x"\r\ncontent-disposition: form-data; name="n"\r\n\r\n8\r\n--B--`,
    ],
    [
      "in another encoding",
      `${good}--B\r\nContent-Disposition: form-data; name="n"\r\nContent-Transfer-Encoding: base64\r\n\r\nOA==\r\n--B--`,
    ],
    [
      "in a form in a form",
      `${good}--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n8\r\n--B--`,
    ],
    ["without a name", `${good}--B\r\nContent-Type: text/plain\r\n\r\n8\r\n--B--`],
    [
      "with a name in quotes and slashes",
      `${good}--B\r\nContent-Disposition: form-data; name="a\\"b"\r\n\r\n8\r\n--B--`,
    ],
  ])("%s is refused", (_what, body) => {
    expect(refusalOf(() => parse(body))).toBe("invalid_value null");
  });

  test.each([
    "multipart/form-data; xboundary=AAA; boundary=B; boundary=C",
    "multipart/form-data; boundary=B; BOUNDARY=B",
    'multipart/form-data; boundary="B',
    "multipart/form-data; boundary=B, multipart/form-data; boundary=C",
    "multipart/form-data; boundary*=utf-8''B",
    "multipart/form-data; boundary=B; charset=utf-16",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="B "',
    `multipart/form-data; boundary=${"B".repeat(71)}`,
    "multipart/form-data; x=1",
    "multipart/form-data",
  ])("a boundary that only one of two parsers would accept is refused: %s", (contentType) => {
    expect(refusalOf(() => parse(`${good}--B--`, contentType))).toBe("invalid_value null");
  });

  test("a boundary is read from its own parameter, whatever is beside it", () => {
    expect(parse(`${good}--B--`, "multipart/form-data; xboundary=AAA; Boundary=B; charset=UTF-8 ;").model).toBe("img");
    const hidden = `${part("model", "img", "AAA")}--AAA--\r\n`;
    expect(refusalOf(() => parse(hidden, "multipart/form-data; xboundary=AAA; boundary=B"))).toBe("invalid_value null");
  });
});

describe("a field that affects the price", () => {
  test.each([
    ["twice", part("model", "dear"), "model"],
    ["in other letters", part("Model", "dear"), "Model"],
    ["with a long s", part("preſence", "1").replace("preſence", "size") + part("Size", "1"), "Size"],
    ["as a list", part("n[]", "8"), "n[]"],
    ["as the member of a list", part("n[0]", "8"), "n[0]"],
    ["as the member of an object", part("model.name", "dear"), "model.name"],
    ["under an order to send it as something else", part("_method", "PUT"), "_method"],
    ["under another character set", part("_charset_", "utf-7"), "_charset_"],
  ])("is refused %s", (_what, more, param) => {
    expect(refusalOf(() => parse(`${good}${more}--B--`))).toMatch(
      new RegExp(`^(invalid_value|unknown_field) ${param.replace(/[[\].]/g, "\\$&")}$`),
    );
  });

  test.each(["0x8", "8.0", "1e1", " 8", "+8", "08", "٨", "8\u0000", ""])(
    "as a count is digits only, not %p",
    (count) => {
      expect(refusalOf(() => parse(`${good}${part("n", count)}--B--`))).toBe("invalid_value n");
    },
  );

  test("is read to its end or not at all", () => {
    const padded = `1${" ".repeat(1_100)}9`;
    expect(refusalOf(() => parse(`${good}${part("n", padded)}--B--`))).toBe("invalid_value n");
    expect(refusalOf(() => parse(`${part("model", `img${" ".repeat(1_100)}`)}--B--`))).toBe("invalid_value model");
  });

  test("may not be a file, however that is expressed", () => {
    for (const more of ['filename="m"', "filename=m", "filename*=utf-8''m"]) {
      const body = `--B\r\nContent-Disposition: form-data; name="model"; ${more}\r\n\r\nimg\r\n--B--`;
      expect(refusalOf(() => parse(body))).toBe("invalid_value model");
    }
  });

  test.each(["models", "provider", "service_tier"])("%s is not offered in a form either", (name) => {
    expect(refusalOf(() => parse(`${good}${part(name, "priority")}--B--`))).toMatch(
      new RegExp(`^(unknown_field|unpriced_option) ${name}$`),
    );
  });

  test("refers to no file of the provider's account", () => {
    expect(refusalOf(() => parse(`${good}${part("image[0][file_id]", "file-1")}--B--`))).toBe(
      "provider_object image[0][file_id]",
    );
  });
});

test("a field that is not read may be long and repeated", async () => {
  const long = "x".repeat(5_000);
  const form = parse(`${good}${part("instructions", long)}${part("tag", "a")}${part("tag", "b")}--B--`);
  expect(await readBack(form)).toEqual([
    ["model", "img"],
    ["prompt", "a cat"],
    ["instructions", long],
    ["tag", "a"],
    ["tag", "b"],
  ]);
});

describe("a form is rewritten", () => {
  test("from what was parsed, under a boundary that no client knows", async () => {
    const first = parse(`${good}${image}--B--\r\n`);
    const second = parse(`${good}${image}--B--\r\n`);
    expect(first.contentType).not.toBe(second.contentType);
    expect(first.body.toString()).not.toContain("--B\r\n");
    expect(await readBack(first)).toEqual([
      ["model", "img"],
      ["prompt", "a cat"],
      ["image", "a.png|PNG"],
    ]);
  });

  test("so that a field is a field and a file a file to every parser", () => {
    const odd =
      '--B\r\nContent-Disposition: form-data; name="prompt"\r\nContent-Type: application/octet-stream\r\n\r\na cat\r\n';
    const { body } = parse(`${part("model", "img")}${odd}${image}--B--`);
    const text = viewOf(body).toString();
    expect(text).toContain('name="prompt"\r\n\r\na cat');
    expect(text).toContain('filename="a.png"\r\nContent-Type: application/octet-stream\r\n\r\nPNG');
  });

  test.each([
    ['filename="C:\\\\dir\\\\a.wav"', "a.wav"],
    ['filename="../../a.wav"', "a.wav"],
    ['filename="a\\"b.wav"', "a_b.wav"],
    ['filename="a%22b%0d%0a.wav"', "a_b__.wav"],
    ['filename="a;b.wav"', "a_b.wav"],
    ['filename="grüße.wav"', "grüße.wav"],
    ["filename*=UTF-8''gr%C3%BC%C3%9Fe.wav", "grüße.wav"],
    [`filename="x.wav"; filename*=utf-8'de'y.wav`, "y.wav"],
  ])("with a file name that every parser reads alike: %s", async (given, written) => {
    const body = `${part("model", "img")}--B\r\nContent-Disposition: form-data; name="image"; ${given}\r\n\r\nx\r\n--B--`;
    expect(await readBack(parse(body))).toContainEqual(["image", `${written}|x`]);
  });

  test("not at all when a file name can't be written", () => {
    for (const given of [
      'filename=""',
      "filename*=utf-8''%ff",
      "filename*=latin1''a",
      `filename="${"a".repeat(256)}"`,
    ]) {
      const body = `${part("model", "img")}--B\r\nContent-Disposition: form-data; name="image"; ${given}\r\n\r\nx\r\n--B--`;
      expect(refusalOf(() => parse(body))).toBe("invalid_value null");
    }
  });
});

describe("two parsers of one form", () => {
  const seed = Number(Bun.env["TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const rounds = Bun.env["TEST_FULL"] === "1" ? 40_000 : 4_000;

  const noise = [
    "--",
    "B",
    "\r\n",
    "\n",
    "\r",
    "--B",
    "--B--",
    "\r\n--B",
    "\r\n--B\r\n",
    "--B--\r\n",
    " ",
    "\t",
    ":",
    ";",
    '"',
    "\\",
  ];
  const words = [
    "model",
    "n",
    "x",
    "img",
    "8",
    "name=",
    'name="n"',
    'filename="f"',
    "Content-Disposition: form-data; ",
    "ü",
    "\0",
  ];

  /** Mostly a valid form, with something odd in a few places. */
  const hostile = (): string => {
    const pieces: string[] = [];
    for (let count = 1 + Math.floor(random() * 5); count > 0; count -= 1) {
      const name = pick(["model", "n", "prompt", "x", "image", "user[]"]);
      const file = name === "image" ? `; filename="${pick(["a.png", "b;c.png", 'q\\"r.png', "ü"])}"` : "";
      const value = name === "n" ? pick(["1", "2", "8"]) : `${pick(words)}${random() < 0.2 ? pick(noise) : ""}`;
      pieces.push("--B", "\r\n", `Content-Disposition: form-data; name="${name}"${file}`, "\r\n\r\n", value, "\r\n");
    }
    pieces.push("--B--", pick(["", "\r\n", "\r\n", part("n", "9")]));
    for (let changes = Math.floor(random() * 3); changes > 0; changes -= 1) {
      const at = Math.floor(random() * pieces.length);
      pieces.splice(at, pick([0, 0, 1]), pick([...noise, ...words]));
    }
    return `${part("model", pick(["img", "dear"]))}${pieces.join("")}`;
  };

  test(`find the same in everything that is accepted (TEST_SEED=${seed})`, async () => {
    let taken = 0;
    for (let round = 0; round < rounds; round += 1) {
      const body = hostile();
      let request: ParsedRequest;
      try {
        request = parse(body);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        continue;
      }
      taken += 1;
      const found = await readBack(request);
      const of = (name: string) => found.filter(([one]) => one === name).map(([, value]) => value);
      expect([body, of("model")]).toEqual([body, [request.model ?? ""]]);
      expect([body, of("n").length <= 1 ? Number(of("n")[0] ?? "1") : -1]).toEqual([body, request.bounds.outputImages]);
      expect([body, of("image").length]).toEqual([body, request.bounds.inputImages]);
    }
    expect(taken).toBeGreaterThan(rounds / 50);
  });
});

test("a form has at most a thousand parts", () => {
  const formOf = (count: number) => `${part("model", "img")}${image}${part("x", "1").repeat(count - 2)}--B--`;
  expect(parse(formOf(1_000)).model).toBe("img");
  expect(refusalOf(() => parse(formOf(1_001)))).toStartWith("invalid_value");
});
