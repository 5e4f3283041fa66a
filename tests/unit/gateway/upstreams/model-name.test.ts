import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { withChangedFields } from "@sluice/control-plane/gateway/upstreams/edit-body.ts";
import { withModelName } from "@sluice/control-plane/gateway/upstreams/model-name.ts";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import fc from "fast-check";
import { operationOf } from "../../../support/calls/operations.ts";

const parse = (text: string, operation = operationOf("chat")) =>
  parseRequest(Buffer.from(text), "application/json", operation);
const textOf = (body: Bytes | null) => (body === null ? null : viewOf(body).toString());

describe("the provider's name of a model", () => {
  test.each([
    [
      '{"model":"a","messages":[{"role":"user","content":"x"}]}',
      '{"model":"v/a-1","messages":[{"role":"user","content":"x"}]}',
    ],
    [
      '{"messages":[{"role":"user","content":"x"}],  "model" :\t"a" }',
      '{"messages":[{"role":"user","content":"x"}],  "model" :\t"v/a-1" }',
    ],
    ['{"messages":[{"role":"user","content":"x","model":"a"}],"m\\u006fdel":"a","x":1.50e3}', null],
    ['{"user":"\\"model\\":\\"a\\"","model":"a","messages":[{"role":"user","content":"x"}],"x":1.50e3}', null],
  ])("replaces the one of %s, and no other byte", (text, expected) => {
    const renamed = textOf(withModelName(parse(text), "v/a-1").body) ?? "";
    expect(renamed).toBe(expected ?? text.replace(/("model"|"m\\u006fdel"):"a"(?![^[]*\])/, '$1:"v/a-1"'));
    expect(JSON.parse(renamed)).toEqual({ ...JSON.parse(text), model: "v/a-1" });
  });

  test("replaces a null that stands for the default model", () => {
    const { body } = withModelName(parse('{"input":"x","model":null}', operationOf("moderations")), "b");
    expect(textOf(body)).toBe('{"input":"x","model":"b"}');
  });

  test("replaces it in the body with the usage option and in the one without", () => {
    for (const text of [
      '{"model":"a","messages":[{"role":"user","content":"x"}],"stream":true}',
      '{"stream_options":{"x":[1]},"messages":[{"role":"user","content":"x"}],"stream":true,"model":"a"}',
      '{"model":"a","stream_options":null,"messages":[{"role":"user","content":"x"}],"stream":true}',
    ]) {
      const { body, plainBody } = withModelName(parse(text), "deployment");
      expect(textOf(plainBody)).toBe(text.replace('"a"', '"deployment"'));
      const sent = JSON.parse(textOf(body) ?? "");
      expect([sent.model, sent.stream_options.include_usage]).toEqual(["deployment", true]);
    }
  });

  test("replaces it after tools were removed before it", () => {
    const text = '{"tools":[{"type":"web_search"},{"type":"function","name":"f"}],"input":"x","model":"a"}';
    const { body } = withModelName(parse(text, operationOf("responses")), "b");
    expect(textOf(body)).toBe('{"tools":[{"type":"function","name":"f"}],"input":"x","model":"b"}');
  });

  test("is written as JSON, wherever the model is and whatever the names are", () => {
    const name = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(name, name, fc.json(), fc.boolean(), (model, upstream, other, isFirst) => {
        const fields = [
          `"model":${JSON.stringify(model)}`,
          `"messages":[{"role":"user","content":"x"}]`,
          `"x":${other}`,
        ];
        const text = `{${(isFirst ? fields : fields.toReversed()).join(",")}}`;
        const renamed = JSON.parse(textOf(withModelName(parse(text), upstream).body) ?? "");
        expect(renamed).toEqual({ ...JSON.parse(text), model: upstream });
      }),
    );
  });

  test("leaves a request alone whose channel has the same name for it", () => {
    const request = parse('{"model":"a","messages":[{"role":"user","content":"x"}]}');
    expect(withModelName(request, null)).toBe(request);
  });
});

describe("the fields that a channel changes", () => {
  const changes = { query: "", headersSet: [], headersRemoved: new Set<string>(), bodySet: {}, bodyRemoved: [] };

  test("are set and removed, and the bytes of all others stay", () => {
    const request = parse('{"model":"a", "messages":[{"role":"user", "content":"x"}],"seed":1,"x":1.50e3,"user":"u"}');
    const { body } = withChangedFields(request, {
      ...changes,
      bodySet: { seed: 7, store: false },
      bodyRemoved: ["user", "absent"],
    });
    expect(textOf(body)).toBe(
      '{"model":"a","messages":[{"role":"user", "content":"x"}],"x":1.50e3,"seed":7,"store":false}',
    );
  });

  test("are none for most channels, which get the same bytes", () => {
    const request = parse('{"model":"a","messages":[{"role":"user","content":"x"}]}');
    expect(withChangedFields(request, changes)).toBe(request);
  });
});
