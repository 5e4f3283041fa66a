/** A generator of numbers that gives the same ones for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of such a generator repeat soon.
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}

const crlf = "\r\n";
const lines = [
  ...["Content-Length: 3", "Content-Length: 03", "Content-Length: +3", "Content-Length: 3, 3", "content-length:3"],
  ...["Content-Length: 0x3", "Content-Length:", "Content-Length : 3", "Content-Length: 3\t", "X: y\nContent-Length: 3"],
  ...[
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: xchunked",
    "transfer-encoding:chunked",
  ],
  ...[
    "Transfer-Encoding : chunked",
    " Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding:\x0bchunked",
  ],
  ...["Connection: close", "Connection: keep-alive", "Connection: content-length", "Connection: close, x"],
  ...["Expect: 100-continue", "TE: trailers", "Upgrade: x", "Host: other", "Host:", "X-Empty:", "X-Folded: a\r\n b"],
  ...["X-Latin: \xe9", "X-Nul: \0", "X-Delete: \x7f", "X-Tab: a\tb", "X-Spaces:    a   ", "X:Y", ":", "no colon here"],
];
const pieces = [
  ...[
    crlf,
    "\n",
    "\r",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    "+",
    "-",
    "0x",
    "\x0b",
    "\x7f",
    "\xe9",
    "\r\n\r\n",
    "\n\n",
    "\r\r\n",
    "0",
  ],
  ...[
    "0\r\n\r\n",
    "3\r\nabc\r\n0\r\n\r\n",
    "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST ",
    " HTTP/1.0",
    "HTTP/1.1",
    "//",
  ],
  ...lines.map((line) => `${line}${crlf}`),
];

/** A request as a front would serve it, most of the time. */
function usualRequest(dice: Dice, index: number): string {
  const body = "abc".repeat(dice.below(4));
  const target = dice.of(["/v1/chat/completions", "/v1/chat/completions", "/v1/messages", "/v1/embeddings"]);
  const fields = [`Host: host-${index}`, `Content-Length: ${body.length}`];
  for (let count = dice.below(3); count > 0; count -= 1) {
    fields.splice(
      dice.below(fields.length + 1),
      0,
      dice.of(["X-A: b", "Accept: */*", "Authorization: Bearer k", "X-B:c"]),
    );
  }
  return `POST ${target} HTTP/1.1${crlf}${fields.join(crlf)}${crlf}${crlf}${body}`;
}

function change(dice: Dice, text: string): string {
  const at = dice.below(text.length + 1);
  const lineStart = text.indexOf(crlf, at) + 2;
  switch (dice.below(7)) {
    case 0:
      return text.slice(0, at) + dice.of(pieces) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + dice.below(3));
    case 2:
      return text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1);
    case 3:
      return `${text.slice(0, lineStart)}${dice.of(lines)}${crlf}${text.slice(lineStart)}`;
    case 4: {
      const end = text.indexOf(crlf, lineStart);
      return text.slice(0, lineStart) + text.slice(lineStart, end + 2) + text.slice(lineStart);
    }
    case 5:
      return text.replace(/Content-Length: \d+/, () => dice.of(lines));
    default:
      return text.slice(0, at) + text.slice(at, at + 8).toUpperCase() + text.slice(at + 8);
  }
}

/** One to three requests on one connection, with a few changes of any kind; one character is one byte. */
export function oddRequests(seed: number): string {
  const dice = new Dice(seed);
  let text = "";
  for (let count = 1 + dice.below(3); count > 0; count -= 1) {
    text += usualRequest(dice, count);
  }
  for (let changes = dice.below(4); changes > 0; changes -= 1) {
    text = change(dice, text);
  }
  return text;
}
