import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { connectRaw, rawChatRequest, rawRequest } from "../../support/wire/raw-tcp-client.ts";

const provider = startSandboxProvider();
const whole = rawChatRequest({});

afterEach(() => provider.reset());
afterAll(() => provider.stop());

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const countOf = (text: string, part: string): number => text.split(part).length - 1;
const post = (body: object, credential = "key"): Promise<Response> =>
  fetch(`${provider.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], model: "gpt-4o-mini", ...body }),
  });
const statusOf = async (answer: Promise<Response>): Promise<number> => {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
};

describe("a connection", () => {
  test("carries requests one after the other, and responds to pipelined ones in order", async () => {
    provider.script([{ text: "first" }, { text: "second" }, { text: "third" }]);
    const connection = await connectRaw(provider.port);
    connection.send(whole);
    await connection.waitForText("first");
    connection.send(whole + whole);
    await connection.waitForText("third");
    const text = textOf(connection.received());
    expect(text.indexOf("second")).toBeLessThan(text.indexOf("third"));
    expect(new Set(provider.requests.map((record) => record.from.connection)).size).toBe(1);
    connection.close();
  });

  test("gets 100 Continue before its body on request", async () => {
    const connection = await connectRaw(provider.port);
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] });
    const lines = ["POST /v1/chat/completions HTTP/1.1", "Host: a", "Authorization: Bearer k"];
    const request = rawRequest([...lines, "Content-Type: application/json", "Expect: 100-continue"], body);
    connection.send(request.slice(0, -body.length));
    await connection.waitForText("HTTP/1.1 100 Continue\r\n\r\n");
    connection.send(body);
    await connection.waitForText("HTTP/1.1 200 OK");
    connection.close();
  });

  test("with broken HTTP gets a 400 and is ended, and the reason is kept", async () => {
    const connection = await connectRaw(provider.port);
    connection.send(whole.replace("Host: 127.0.0.1\r\n", ""));
    expect(await connection.ended).toBe("fin");
    expect(textOf(connection.received())).toStartWith("HTTP/1.1 400 ");
    expect(provider.totals.connections.violations).toEqual(["there must be exactly one Host header"]);
    expect(provider.requests.length).toBe(0);
  });

  test("can be ended as soon as it is open", async () => {
    for (const fault of ["fin", "rst"] as const) {
      provider.setConnectionFault(fault);
      const connection = await connectRaw(provider.port);
      expect([await connection.ended, connection.received().length]).toEqual([fault, 0]);
    }
    provider.setConnectionFault("none");
    expect(await statusOf(post({}))).toBe(200);
  });

  test("can get a response before the body came, and is then ended", async () => {
    provider.script({ answersBeforeBody: true, status: 413 });
    const connection = await connectRaw(provider.port);
    connection.send(rawRequest(["POST /v1/chat/completions HTTP/1.1", "Host: a", "Content-Length: 1000000"], ""));
    connection.send("x".repeat(10_000));
    expect(await connection.ended).toBe("fin");
    const text = textOf(connection.received());
    expect(text).toStartWith("HTTP/1.1 413 ");
    expect(text).toEndWith("}}");
    expect(provider.requests[0]?.body.length).toBe(0);
  });
});

describe("the script", () => {
  test("is used up in order, and then responses are ordinary again", async () => {
    provider.script([{ status: 500 }, { status: 503 }]);
    provider.script({ status: 429 }, { times: 2 });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      statuses.push(await statusOf(post({})));
    }
    expect(statuses).toEqual([500, 503, 429, 429, 200]);
    expect(provider.scriptedLeft).toBe(0);
  });

  test("can be for a model, a path, a credential, streams, a part of the body, or by a function", async () => {
    const always = { times: "always" } as const;
    provider.script({ status: 501 }, { match: { model: "special" }, ...always });
    provider.script({ status: 502 }, { match: { credential: "other", path: "/v1/chat/completions" }, ...always });
    provider.script({ status: 503 }, { match: { isStream: true, method: "POST" }, ...always });
    provider.script({ status: 504 }, { match: { bodyIncludes: "needle" }, ...always });
    provider.script({ status: 505 }, { match: (request) => request.jsonObject?.["n"] === 2, ...always });
    expect(await statusOf(post({ model: "special" }))).toBe(501);
    expect(await statusOf(post({}, "other"))).toBe(502);
    expect(await statusOf(post({ stream: true }))).toBe(503);
    expect(await statusOf(post({ user: "a needle" }))).toBe(504);
    expect(await statusOf(post({ n: 2 }))).toBe(505);
    expect(await statusOf(post({}))).toBe(200);
  });
});

describe("the records", () => {
  test("contain head lines and body bytes exactly as received", async () => {
    const body = `{ "model" : "m",\n"messages":[{"role":"user","content":"\u00e9\\u00e9"}] }`;
    const lines = ["POST /v1/chat/completions?x=%20 HTTP/1.1", "hOST: a", "AUTHORIZATION:   Bearer  k1 "];
    const connection = await connectRaw(provider.port);
    connection.send(rawRequest([...lines, "Content-Type: application/json"], body));
    const record = await provider.waitForEnd(0);
    expect(record.headLines.slice(0, 3)).toEqual(lines);
    expect(record.body).toEqual(Buffer.from(body));
    expect([record.credential, record.model, record.target]).toEqual(["k1", "m", "/v1/chat/completions?x=%20"]);
    expect(record.from).toMatchObject({ remoteAddress: "127.0.0.1" });
    expect(record.outcome).toBe("completed");
    await connection.waitForBytes(record.bytesWritten);
    expect(connection.received().length).toBe(record.bytesWritten);
    connection.close();
  });

  test("count the maximum in flight, overall and by credential", async () => {
    provider.script({ neverAnswer: true }, { times: 5 });
    const calls = ["a", "a", "a", "b", "b"].map((credential) => post({}, credential).then((answer) => answer.text()));
    await provider.waitForRequest(4);
    expect(provider.totals.inFlight).toBe(5);
    for (const record of provider.requests) {
      record.release();
    }
    await Promise.all(calls);
    await provider.waitForIdle();
    await (await post({}, "b")).text();
    expect(provider.totals).toMatchObject({
      requests: 6,
      completed: 6,
      inFlight: 0,
      inFlightMax: 5,
      inFlightMaxByCredential: { a: 3, b: 2 },
    });
  });

  test("are only counted when they are not to be kept", async () => {
    const counting = startSandboxProvider({ keepsRecords: false });
    await (await fetch(`${counting.url}/v1/models`)).text();
    expect([counting.requests.length, counting.totals.requests, counting.totals.completed]).toEqual([0, 1, 1]);
    await counting.stop();
  });
});

describe("a wait", () => {
  test("fails with what happened instead, after its time or as soon as there is no hope", async () => {
    await expect(provider.waitForRequest(0, 10)).rejects.toThrow("there were 0 requests");
    await (await post({})).text();
    await expect(provider.waitForCancel(0)).rejects.toThrow("its state is 'completed'");
    await expect(provider.waitForHeld(0)).rejects.toThrow("never see that request 0 is held");
    provider.script({ silence: { afterChunks: 1 } });
    const call = post({ stream: true });
    await provider.waitForHeld(1);
    await expect(provider.waitForIdle(10)).rejects.toThrow("1 are on their way");
    provider.requests[1]?.release();
    expect(countOf(await (await call).text(), "[DONE]")).toBe(1);
  });
});

test("stopping resets every connection and leaves nothing open", async () => {
  const brief = startSandboxProvider();
  brief.script({ neverAnswer: true });
  const [idle, busy] = [await connectRaw(brief.port), await connectRaw(brief.port)];
  busy.send(whole);
  await brief.waitForHeld(0);
  await brief.stop();
  expect(await Promise.all([idle.ended, busy.ended])).toEqual(["rst", "rst"]);
  expect(brief.totals.inFlight).toBe(0);
  await expect(connectRaw(brief.port)).rejects.toThrow();
});
