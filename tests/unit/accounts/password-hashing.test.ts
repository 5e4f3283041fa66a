import { describe, expect, test } from "bun:test";
import { PasswordHashing } from "@sluice/control-plane/accounts/passwords/password-hashing.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

describe("a password", () => {
  test("matches only its own hash, whichever of the two kinds it is", async () => {
    const hashing = new PasswordHashing();
    const hash = await hashing.hash("correct horse");
    expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(await hashing.isRight("correct horse", hash)).toBe(true);
    expect(await hashing.isRight("correct horsf", hash)).toBe(false);
    const bcrypt = await Bun.password.hash("correct horse", { algorithm: "bcrypt", cost: 4 });
    expect(await hashing.isRight("correct horse", bcrypt)).toBe(true);
  });

  test.each(["", "!", "$argon2id$broken", "$2b$99$x", "plain"])("never matches %j", async (hash) => {
    expect(await new PasswordHashing().isRight(hash, hash)).toBe(false);
  });

  test("never matches a missing user", async () => {
    expect(await new PasswordHashing().isRight("anything", null)).toBe(false);
  });
});

test("a flood of logins is refused beyond a short queue, and those in it all finish", async () => {
  const hashing = new PasswordHashing();
  const hash = await Bun.password.hash("x", { algorithm: "bcrypt", cost: 4 });
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => hashing.isRight("x", hash)));
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused).toHaveLength(100 - 4 - 64);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(AppError);
    expect((reason as AppError).code).toBe("too_many_attempts");
  }
  expect(await hashing.isRight("x", hash)).toBe(true);
});
