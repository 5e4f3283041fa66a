import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import { ClosedMarks } from "@sluice/control-plane/accounts/registration/closed-marks.ts";
import { maskOrigins } from "@sluice/control-plane/accounts/registration/registration-store.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { RegistrationScene, registrationPath } from "../support/accounts/registration-scene.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

let scene: RegistrationScene;

beforeAll(async () => {
  scene = await RegistrationScene.start();
});

afterAll(() => scene.close());

describe("free credit", () => {
  test("is paid once, after the address is verified, by one posting", async () => {
    await scene.setRules({ credit_quota: 500_000 });
    const email = scene.freshEmail();
    const registered = await scene.register(email);
    expect((await scene.creditOf(email))?.balance).toBe(0n);
    const url = registered.body.verification_url;
    await Promise.all([scene.verify(url), scene.verify(url), scene.verify(url)]);
    expect(await scene.creditOf(email)).toMatchObject({ balance: 500_000n, refusal: null });
    const bySignIn = scene.freshEmail();
    await scene.signIn(bySignIn);
    expect((await scene.creditOf(bySignIn))?.balance).toBe(500_000n);
  });

  test("is paid once for an address, whatever stands after a plus or between dots", async () => {
    await scene.setRules({ credit_quota: 100 });
    await scene.join("ann.other@mail.example", {}, { ip: "10.250.1.1" });
    for (const [index, again] of ["annother@mail.example", "Ann.Other+2@mail.example"].entries()) {
      await scene.join(again, {}, { ip: `10.250.${index + 2}.1` });
      expect(await scene.creditOf(again)).toMatchObject({ balance: 0n, refusal: "address" });
    }
  });

  test("of 50 people who register from a network at once, as many get it as the limit says", async () => {
    await scene.setRules({ credit_quota: 100, credits_per_network_day: 3 });
    const emails = Array.from({ length: 50 }, () => scene.freshEmail());
    const urls = await Promise.all(
      emails.map(async (email, index) => {
        for (;;) {
          const answer = await scene.register(email, {}, { ip: `203.0.113.${index + 1}` });
          if (answer.status === 202) {
            return answer.body.verification_url;
          }
          // Only so many passwords are hashed at a time.
          expect([429, 503]).toContain(answer.status);
        }
      }),
    );
    await Promise.all(
      urls.map(async (url) => {
        // On a slow machine, some give up waiting for the others.
        for (let status = 503; status === 503; ) {
          ({ status } = await scene.verify(url));
          expect([200, 503]).toContain(status);
        }
      }),
    );
    const credits = await Promise.all(emails.map((email) => scene.creditOf(email)));
    expect(credits.filter((credit) => credit?.balance === 100n)).toHaveLength(3);
    expect(credits.filter((credit) => credit?.refusal === "network_day")).toHaveLength(47);
    const listed = await (await scene.asAdmin()).get(`${registrationPath}credit/list/`, {
      network: "203.0.113",
      outcome: "refused",
    });
    expect((listed.body["rows"] as object[])[0]).toMatchObject({ refusal: "network_day", credit_quota: 0 });
  });

  test("is limited by device, by network in all, and for everybody a day", async () => {
    await untilDayLasts();
    await scene.setRules({ credit_quota: 100, credits_per_device: 1 });
    const device =
      (await scene.client.get("/register/")).headers.getSetCookie().find((set) => set.includes("DEVICE")) ?? "";
    const cookie = device.split(";")[0] ?? "";
    const [first, second, third] = [scene.freshEmail(), scene.freshEmail(), scene.freshEmail()];
    await scene.join(first, {}, { cookie, ip: "10.251.1.1" });
    await scene.join(second, {}, { cookie, ip: "10.251.2.1" });
    expect([(await scene.creditOf(first))?.balance, (await scene.creditOf(second))?.refusal]).toEqual([100n, "device"]);
    await scene.setRules({ credit_quota: 100, credits_per_network: 1 });
    await scene.join(third, {}, { ip: "10.251.1.200" });
    expect((await scene.creditOf(third))?.refusal).toBe("network");
    await scene.setRules({ credit_quota: 100, credits_per_day: 1 });
    const fourth = scene.freshEmail();
    await scene.join(fourth);
    expect((await scene.creditOf(fourth))?.refusal).toBe("day");
  });

  test("is still counted for the network and the device of an account that was closed since, which are forgotten", async () => {
    await scene.setRules({ credit_quota: 100, credits_per_device: 1 });
    const device =
      (await scene.client.get("/register/")).headers.getSetCookie().find((set) => set.includes("DEVICE")) ?? "";
    const cookie = device.split(";")[0] ?? "";
    const [first, second, third] = [scene.freshEmail(), scene.freshEmail(), scene.freshEmail()];
    await scene.join(first, {}, { cookie, ip: "10.252.1.1" });
    const [user] = await scene.rig.db.sql<{ id: UserId }>`select id from user_profile where email = ${first}`;
    const marks = new ClosedMarks(new MasterKey(masterKeyBytes));
    await maskOrigins(scene.rig.db, user?.id ?? (0n as UserId), (origin) => marks.of(origin));
    const [row] = await scene.rig.db.sql<{ network: string; device: string }>`
      select network, device from user_registration where user_id = ${user?.id ?? 0n}::bigint`;
    expect([row?.network, row?.device].map((origin) => /^closed:[\w-]{43}$/.test(origin ?? ""))).toEqual([true, true]);
    await scene.join(second, {}, { cookie, ip: "10.252.2.1" });
    expect((await scene.creditOf(second))?.refusal).toBe("device");
    await scene.setRules({ credit_quota: 100, credits_per_network: 1 });
    await scene.join(third, {}, { ip: "10.252.1.200" });
    expect((await scene.creditOf(third))?.refusal).toBe("network");
  });

  test("of an invitation replaces the usual credit and its limits, but not that of the address", async () => {
    await untilDayLasts();
    await scene.setRules({ credit_quota: 100, credits_per_day: 1 });
    const { code } = await scene.invite({ uses_max: 3, credit_quota: 700 });
    const email = scene.freshEmail();
    await scene.join(email, { invitation: code });
    expect((await scene.creditOf(email))?.balance).toBe(700n);
    const again = email.replace("@", "+again@");
    await scene.join(again, { invitation: code });
    expect(await scene.creditOf(again)).toMatchObject({ balance: 0n, refusal: "address" });
  });

  test("is seen by the money check if the books and the registration differ", async () => {
    await scene.setRules({ credit_quota: 100 });
    const email = scene.freshEmail();
    await scene.join(email);
    const userOf = "user_id = (select id from user_profile where email = $1)";
    await scene.rig.db.query(`update user_registration set credit_quota = 99 where ${userOf}`, [email]);
    expect(await scene.rig.checkMoney()).toHaveLength(1);
    await scene.rig.db.query(`update user_registration set credit_quota = 100 where ${userOf}`, [email]);
  });
});
