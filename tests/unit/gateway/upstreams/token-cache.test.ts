import { describe, expect, test } from "bun:test";
import { type MintedToken, TokenCache } from "@sluice/control-plane/gateway/upstreams/token-cache.ts";

const minute = 60_000;

function scene() {
  let now = 1_000_000;
  const requests: PromiseWithResolvers<MintedToken>[] = [];
  const cache = new TokenCache({ now: () => now, tick: () => now });
  return {
    requests,
    get: (credential = "c") =>
      cache.get(credential, () => {
        const request = Promise.withResolvers<MintedToken>();
        requests.push(request);
        return request.promise;
      }),
    forget: () => cache.forget("c"),
    pass: (ms: number) => {
      now += ms;
    },
    answer: (token: string, lastsMs = 60 * minute) => requests.at(-1)?.resolve({ token, expiresAtMs: now + lastsMs }),
  };
}

describe("a minted token", () => {
  test("is requested once, however many calls wait for it, and then used without waiting", async () => {
    const { requests, get, answer } = scene();
    const waiting = [get(), get(), get()];
    answer("t1");
    expect(await Promise.all(waiting)).toEqual(["t1", "t1", "t1"]);
    expect(get()).toBe("t1");
    expect(requests).toHaveLength(1);
  });

  test("is replaced before it ends, by one request, while calls continue with it", async () => {
    const { requests, get, answer, pass } = scene();
    const first = get();
    answer("t1");
    await first;
    pass(56 * minute);
    expect([get(), get()]).toEqual(["t1", "t1"]);
    expect(requests).toHaveLength(2);
    answer("t2");
    await requests[1]?.promise;
    expect(get()).toBe("t2");
  });

  test("is used to its end when it can't be replaced, with a pause between two attempts", async () => {
    const { requests, get, answer, pass } = scene();
    const first = get();
    answer("t1");
    await first;
    pass(56 * minute);
    expect(get()).toBe("t1");
    requests.at(-1)?.reject(new Error("refused"));
    await Bun.sleep(0);
    expect(get()).toBe("t1");
    expect(requests).toHaveLength(2);
    pass(11_000);
    expect(get()).toBe("t1");
    expect(requests).toHaveLength(3);
    requests.at(-1)?.reject(new Error("refused"));
    await Bun.sleep(0);
    pass(4 * minute);
    const late = get();
    requests.at(-1)?.reject(new Error("refused again"));
    await expect(late).rejects.toThrow("refused again");
  });

  test("is requested again after a provider refused it, and belongs to one credential", async () => {
    const { requests, get, answer, forget, pass } = scene();
    const first = get();
    answer("t1");
    await first;
    const other = get("other");
    answer("t2");
    expect(await other).toBe("t2");
    pass(20 * minute);
    forget();
    const again = get();
    answer("t3");
    expect(await again).toBe("t3");
    expect(requests).toHaveLength(3);
    expect(get("other")).toBe("t2");
  });

  test("that is refused again and again is requested more and more seldom, and soon again after it was good", async () => {
    const { requests, get, answer, forget, pass } = scene();
    const call = async () => {
      const token = get();
      answer(`t${requests.length}`);
      return await token;
    };
    await call();
    for (let second = 0; second < 3_600; second += 1) {
      forget();
      await call();
      pass(1_000);
    }
    // After 0, 10, 30, 70, 150, 310 seconds, and then every 300.
    expect(requests.length).toBeWithin(12, 18);
    const before = requests.length;
    pass(20 * minute);
    forget();
    await call();
    pass(11_000);
    forget();
    await call();
    expect(requests).toHaveLength(before + 2);
  });
});
