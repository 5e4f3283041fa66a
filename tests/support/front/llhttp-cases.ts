import type { Verdict } from "@sluice/control-plane/front/request-head.ts";

/*
 * The request cases of llhttp, the parser of Node.js (its folder test/request), each with what the front makes of it. Where a
 * case is about fields or bodies, it has a request line that the front serves, because any other is handed over unread.
 */

export type ParserCase = readonly [name: string, text: string, verdict: Verdict];

const line = "POST /v1/chat/completions HTTP/1.1";
const host = "Host: sluice.example";
const lines = (...all: readonly string[]): string => `${all.join("\r\n")}\r\n\r\n`;
/** A request with these fields and no body. */
const fields = (...all: readonly string[]): string => lines(line, host, "Content-Length: 0", ...all);
/** A request whose framing these fields decide. */
const framed = (all: readonly string[], body = ""): string => lines(line, host, ...all) + body;
const chunked = (body: string, ...more: readonly string[]): string =>
  framed(["Transfer-Encoding: chunked", ...more], body);
const foreign = (requestLine: string, ...more: readonly string[]): string => lines(requestLine, host, ...more);
const four = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 4"];

const connection: readonly ParserCase[] = [
  ["connection: kept", fields("Connection: keep-alive"), "serve"],
  ["connection: kept, and another request", fields("Connection: keep-alive").repeat(2), "serve"],
  ["connection: version 1.0, and another request", foreign("PUT /url HTTP/1.0") + fields(), "hand_over"],
  ["connection: an empty line between requests", `${framed(four, "q=42")}\r\n${foreign("GET / HTTP/1.1")}`, "serve"],
  ["connection: closed", fields("Connection: close"), "serve"],
  [
    "connection: closed, an empty line and another request",
    `${framed([...four, "Connection: close"], "q=42")}\r\n${foreign("GET / HTTP/1.1")}`,
    "serve",
  ],
  ["connection: several tokens", fields("Connection: close, token, upgrade, token, keep-alive"), "hand_over"],
  ["connection: several tokens, folded", fields("Connection: Something,", " Upgrade, ,Keep-Alive"), "refuse"],
  ["connection: kept and upgraded", fields("Connection: keep-alive, upgrade", "Upgrade: WebSocket"), "hand_over"],
  ["connection: kept and upgraded, folded", fields("Connection: keep-alive, ", " upgrade", "Upgrade: x"), "refuse"],
  ["connection: upgraded", fields("Connection: upgrade", "Upgrade: ws"), "hand_over"],
  [
    "connection: upgraded, with bytes after the body",
    `${fields("Connection: upgrade", "Upgrade: ws")}abcd`,
    "hand_over",
  ],
  [
    "connection: a GET upgraded",
    foreign("GET /demo HTTP/1.1", "Connection: Upgrade", "Upgrade: WebSocket"),
    "hand_over",
  ],
  ["connection: a POST upgraded to HTTP/2", fields("Connection: Upgrade", "Upgrade: HTTP/2.0"), "hand_over"],
];

const contentLength: readonly ParserCase[] = [
  ["length: zeros in front", framed(["Content-Length: 003"], "abc"), "hand_over"],
  ["length: zeros in front, and a field after it", framed(["Content-Length: 003", "Ohai: world"], "abc"), "hand_over"],
  ["length: more than 64 bits", framed(["Content-Length: 1000000000000000000000"]), "refuse"],
  ["length: two", framed(["Content-Length: 1", "Content-Length: 2"]), "refuse"],
  ["length: with identity", framed(["Content-Length: 1", "Transfer-Encoding: identity"]), "refuse"],
  ["length: with chunks", framed(["Content-Length: 1", "Transfer-Encoding: chunked"]), "refuse"],
  ["length: in odd letters", framed(["conTENT-Length: 5"], "HELLO"), "serve"],
  ["length: in odd letters, version 1.0", `${foreign("GET /a HTTP/1.0", "conTENT-Length: 5")}HELLO`, "hand_over"],
  ["length: spaces around", framed(["Content-Length:  2 "], "ab"), "serve"],
  ["length: a space within", framed(["Content-Length: 4 2"]), "refuse"],
  ["length: a space within more digits", framed(["Content-Length: 13 37"]), "refuse"],
  ["length: empty", framed(["Content-Length:"]), "refuse"],
  ["length: a carriage return for the dash", framed(["Content\rLength: 003"], "abc"), "refuse"],
];

const transferEncoding: readonly ParserCase[] = [
  ["encoding: empty, with a length", framed(["Transfer-Encoding:", "Content-Length: 5"], "hello"), "refuse"],
  ["encoding: empty three times, with a length", framed(["Content-Length: 10", ..."aaa"].map(emptyEncoding)), "refuse"],
  ["encoding: chunks, small letters", chunked("a\r\n0123456789\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: chunks, capitals", chunked("A\r\n0123456789\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: chunks, three zeros at the end", chunked("5\r\nhello\r\n6\r\n world\r\n000\r\n\r\n"), "hand_over"],
  ["encoding: fields after the chunks", chunked("5\r\nhello\r\n0\r\nVary: *\r\nContent-Type: a\r\n\r\n"), "hand_over"],
  ["encoding: extensions", chunked("5;a;b=c;another=withvalue\r\nhello\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: extensions without a semicolon", chunked("2 abc\r\naa\r\n0 rrrr\r\n\r\n"), "hand_over"],
  ["encoding: no extension after a semicolon", chunked("2;\r\naa\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: quoted extensions", chunked('5;a="I \\"b\\"; \\\\c\\\\";d="e"\r\nhello\r\n0\r\n\r\n'), "hand_over"],
  ["encoding: a quote without its end", chunked('5;a="b";c="d; e\r\nhello\r\n0\r\n\r\n'), "hand_over"],
  ["encoding: an invalid size", chunked("g\r\nhello\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: a size above 64 bits", chunked("fffffffffffffffff\r\nhello"), "hand_over"],
  ["encoding: a space after the size", chunked("5 \r\nhello\r\n0\r\n\r\n"), "hand_over"],
  ["encoding: no line end after a chunk", chunked("5\r\nhelloX0\r\n\r\n"), "hand_over"],
  ["encoding: chunks that end in line feeds", chunked("5\nhello\n0\n\n"), "hand_over"],
  ["encoding: unknown", framed(["Transfer-Encoding: pigeons"]), "hand_over"],
  ["encoding: identity and a length", framed(["Transfer-Encoding: identity", "Content-Length: 5"], "World"), "refuse"],
  ["encoding: unknown and a length", framed(["Transfer-Encoding: unknown", "Content-Length: 5"], "World"), "refuse"],
  ["encoding: chunked last", framed(["Transfer-Encoding: deflate, chunked"], "0\r\n\r\n"), "hand_over"],
  ["encoding: chunked not last", framed(["Transfer-Encoding: chunked, deflate"], "0\r\n\r\n"), "hand_over"],
  ["encoding: chunked in the first of two fields", chunked("0\r\n\r\n", "Transfer-Encoding: deflate"), "hand_over"],
  ["encoding: chunked twice in a word", framed(["Transfer-Encoding: chunkedchunked"], "0\r\n\r\n"), "hand_over"],
  ["encoding: blanks after it", framed(["Transfer-Encoding: chunked   "], "0\r\n\r\n"), "hand_over"],
];

const samples: readonly ParserCase[] = [
  ["sample: a tab before a value", fields("Header2:\t Value2"), "serve"],
  ["sample: another method", foreign("OPTIONS /url HTTP/1.1", "Header1: Value1"), "hand_over"],
  ["sample: a method that begins as a response does", foreign("HEAD /url HTTP/1.1"), "hand_over"],
  ["sample: an odd host", lines(line, "Host: 0.0.0.0=5000", "Content-Length: 0"), "hand_over"],
  ["sample: the fields of a browser", fields("Keep-Alive: 300", "Connection: keep-alive"), "hand_over"],
  ["sample: odd letters in a value", fields("aaaaaaaaaaaaa:++++++++++"), "serve"],
  ["sample: no fields", `${line}\r\n\r\n`, "hand_over"],
  ["sample: a line end in front", `\r\n${fields()}`, "hand_over"],
  ["sample: no version", "GET /\r\n\r\n", "hand_over"],
  ["sample: folded values", fields("Line1:   abc", "\tdef", " ghi", "Line4: ", " ", "Connection:", " close"), "refuse"],
  ["sample: values folded by line feeds", fields("Line1:   abc\n\tdef\n ghi"), "refuse"],
  ["sample: letters beyond ASCII", fields("Test: D\xfcsseldorf"), "hand_over"],
  ["sample: the byte 255", fields("Header2: \xffValue2"), "hand_over"],
  ["sample: a folded certificate", fields("X-SSL: -----BEGIN-----", "\tMIIFbTCCBFWgAwI", "\t-----END-----"), "refuse"],
  ["sample: requests together", fields().repeat(3), "serve"],
  ["sample: the end in the middle of a head", `${line}\r\n${host}\r\n`, "more"],
];

const methodsAndTargets: readonly ParserCase[] = [
  ["method: REPORT", foreign("REPORT /test HTTP/1.1"), "hand_over"],
  ["method: CONNECT", foreign("CONNECT 0-home0.example:443 HTTP/1.0"), "hand_over"],
  ["method: CONNECT in capitals", foreign("CONNECT HOME0.EXAMPLE:443 HTTP/1.0"), "hand_over"],
  ["method: CONNECT with bytes after it", `${foreign("CONNECT foo.bar.com:443 HTTP/1.0")}blarfcicle"`, "hand_over"],
  ["method: M-SEARCH", foreign("M-SEARCH * HTTP/1.1", "MAN: ssdp:discover"), "hand_over"],
  ["method: PATCH", `${foreign("PATCH /file.txt HTTP/1.1", "Content-Length: 2")}ab`, "hand_over"],
  ["method: SOURCE of ICE", foreign("SOURCE /music/sweet/music ICE/1.0"), "hand_over"],
  ["method: OPTIONS of RTSP", foreign("OPTIONS /music/sweet/music RTSP/1.0"), "hand_over"],
  ["method: PRI", "PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n", "hand_over"],
  ["method: QUERY", `${foreign("QUERY /contacts HTTP/1.1", "Content-Length: 2")}ab`, "hand_over"],
  ["target: quotes", foreign('GET /with_"lovely"_quotes?foo="bar" HTTP/1.1'), "hand_over"],
  ["target: a query", foreign("GET /test.cgi?param1=1&param2=2 HTTP/1.1"), "hand_over"],
  ["target: a host that ends in a query", foreign("GET http://sluice.example?hail=all HTTP/1.1"), "hand_over"],
  ["target: a host, a port and a query", foreign("GET http://sluice.example:1234?hail=all HTTP/1.1"), "hand_over"],
  ["target: two question marks", foreign("GET /test.cgi?foo=bar?baz HTTP/1.1"), "hand_over"],
  ["target: a fragment", foreign("GET /forums/1/topics/2375?page=1#posts-17408 HTTP/1.1"), "hand_over"],
  ["target: UTF-8", foreign("GET /\xce\xb4\xc2\xb6/\xce\xb4t/pope?q=1#narf HTTP/1.1"), "hand_over"],
  ["target: an underscore in the host", foreign("CONNECT home_0.example:443 HTTP/1.0"), "hand_over"],
  ["target: a user", foreign("GET http://a%12:b!&*$@sluice.example:1234/toto HTTP/1.1"), "hand_over"],
  ["target: a carriage return", foreign("POST /v1/chat/\rcompletions HTTP/1.1"), "hand_over"],
];

const invalid: readonly ParserCase[] = [
  ["invalid: ICE with GET", foreign("GET /music/sweet/music ICE/1.0"), "hand_over"],
  ["invalid: nearly HTTP", foreign("POST /v1/chat/completions IHTTP/1.1"), "hand_over"],
  ["invalid: PUT of RTSP", foreign("PUT /music/sweet/music RTSP/1.0"), "hand_over"],
  ["invalid: ANNOUNCE of HTTP", foreign("ANNOUNCE /music/sweet/music HTTP/1.0"), "hand_over"],
  ["invalid: fields with a carriage return between", fields("Foo: 1\rBar: 2"), "refuse"],
  ["invalid: fields with a line feed between", fields("x:x\nTransfer-Encoding: chunked"), "refuse"],
  [
    "invalid: a letter after the last carriage return",
    `${fields("Connection: close").slice(0, -1)}ZGET /evil: x`,
    "refuse",
  ],
  ["invalid: an empty value and a carriage return", fields("x:\rTransfer-Encoding: chunked"), "refuse"],
  ["invalid: an empty value and a line feed", fields("x:\nTransfer-Encoding: chunked"), "refuse"],
  ["invalid: an at sign in a name", fields("Fo@: Failure"), "refuse"],
  ["invalid: a control character in a name", fields("Foo\x01est: Bar"), "refuse"],
  ["invalid: no name", fields(": Bar"), "refuse"],
  ["invalid: a method with a letter too many", foreign("MKCOLA / HTTP/1.1"), "hand_over"],
  ["invalid: a folded name", fields("name", " : value"), "refuse"],
  ["invalid: a broken name of a known field", fields("Connection\r\x1b\x65\xd5eep-Alive"), "refuse"],
  ["invalid: a broken name", fields("X-Some-Header\r\x1b\x65\xd5eep-Alive"), "refuse"],
  ["invalid: a length after a line feed", framed(["Dummy: x\nContent-Length: 23"], "GET / HTTP/1.1"), "refuse"],
  ["invalid: another version", foreign("POST /v1/chat/completions HTTP/5.6"), "hand_over"],
  ["invalid: a space after the request line", lines(line, ` ${host}`), "refuse"],
  ["invalid: line feeds only", chunked("1\r\nA\r\n0\r\n\r\n").replaceAll("\r\n", "\n"), "hand_over"],
  ["invalid: spaces before a length", framed(["Foo: bar", " Content-Length: 38"], "GET /bye HTTP/1.1"), "refuse"],
  ["invalid: a form feed before a value", fields("Header1: \x0cOkay"), "refuse"],
  ["invalid: a NUL in a value", fields("Header1: a\0b"), "refuse"],
];

export const parserCases: readonly ParserCase[] = [
  ...[...connection, ...contentLength, ...transferEncoding],
  ...[...samples, ...methodsAndTargets, ...invalid],
];

function emptyEncoding(text: string): string {
  return text === "a" ? "Transfer-Encoding:" : text;
}
