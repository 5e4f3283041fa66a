import { expect, test } from "bun:test";
import { FlowCookie, type SignInFlow } from "@sluice/control-plane/accounts/sign-in/flow-cookie.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";

const cookie = new FlowCookie(new MasterKey(new Uint8Array(32).fill(7)), true);
const flow: SignInFlow = {
  step: "flow",
  provider: "acme",
  issuer: "https://login.example.org",
  state: "s",
  nonce: "n",
  verifier: "v",
  next: "/console/keys/",
  invitation: "",
  link: null,
  endsAt: 2_000,
};

function read(set: string) {
  const request = new Request("https://sluice.example/", { headers: { cookie: set.split(";")[0] ?? "" } });
  return cookie.read(request, "flow", 1_000);
}

test("what was written is read again, in time and for the same step", () => {
  expect(read(cookie.write(flow))).toEqual(flow);
  expect(read(cookie.write({ ...flow, endsAt: 999 }))).toBeNull();
});

test("what another version of the program wrote is nothing, and no error", () => {
  const { invitation, ...older } = flow;
  expect(read(cookie.write(older as never))).toBeNull();
});

test("a path that makes the cookie too long for a browser is left out", () => {
  const set = cookie.write({ ...flow, next: `/${"x".repeat(4_000)}` });
  expect(set.length).toBeLessThan(4_096);
  expect(read(set)).toMatchObject({ provider: "acme", next: "" });
});
