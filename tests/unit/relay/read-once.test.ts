import { expect, test } from "bun:test";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { readOnce } from "@sluice/control-plane/relay/other-address.ts";

const counterOf = () => {
  const counted: number[] = [];
  return { counted, add: (bytes: number) => void counted.push(bytes) };
};

test("a body is read and made once, and counted for each who asks for it", async () => {
  let reads = 0;
  const read = readOnce(
    (counter) => {
      reads += 1;
      counter?.add(4);
      return Buffer.from("body");
    },
    (body) => Buffer.concat([body, Buffer.from("!")]),
  );
  const [first, second] = [counterOf(), counterOf()];
  expect(await read(first)).toEqual(Buffer.from("body!"));
  expect(await read(second)).toEqual(Buffer.from("body!"));
  expect(await read()).toEqual(Buffer.from("body!"));
  expect([reads, first.counted, second.counted]).toEqual([1, [4], [5]]);
});

test("a body that does not fit into the share of a later one who asks is refused to that one", async () => {
  const read = readOnce(() => Buffer.from("body"));
  await read();
  const full = {
    add: () => {
      throw new AppError("temporarily_unavailable");
    },
  };
  await expect(Promise.resolve(read(full))).rejects.toMatchObject({ code: "temporarily_unavailable" });
  expect(await read()).toEqual(Buffer.from("body"));
});

test.each([
  [
    "thrown at once",
    () => {
      throw new AppError("request_too_large");
    },
  ],
  ["a rejection", () => Promise.reject(new AppError("request_too_large"))],
])("a body that can't be read is not read again, and every request for it fails alike: %s", async (_, fail) => {
  let reads = 0;
  const read = readOnce(() => {
    reads += 1;
    return fail();
  });
  for (let asked = 0; asked < 2; asked += 1) {
    const outcome = await Promise.resolve(read()).catch((error: AppError) => error.code);
    expect(outcome).toBe("request_too_large");
  }
  expect(reads).toBe(1);
});
