import { expect, test } from "bun:test";
import { readErrorWords } from "@sluice/messages-conversion/errors/read-error-words";

/** `String` and `Number` throw for the first two. */
test.each([[{ toString: 1, valueOf: 1 }], [[{ toString: 1 }]], [null], [{}], [true]])(
  "an error whose fields are %j has no words from them",
  (odd) => {
    const error = { message: "too long", type: odd, code: odd, status: odd, param: odd, details: odd };
    const words = { message: "too long", type: null, code: null, param: null, status: null };
    expect(readErrorWords({ error })).toEqual(words);
    expect(readErrorWords({ detail: [{ msg: "too long", loc: [odd] }] })).toMatchObject({ message: ": too long" });
    expect(readErrorWords({ error: odd, message: odd, detail: odd, errors: odd }).message).toBeNull();
  },
);
