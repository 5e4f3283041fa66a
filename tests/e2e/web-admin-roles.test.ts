import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { type LimitedRole, limitedRoles } from "@sluice/contracts/admin-roles";
import { fillHouse } from "../shots/full-house.ts";
import { shownPages } from "../shots/pages.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { RoleVisitor } from "../support/web/role-visitor.ts";
import { shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";

/** Each role goes to forty pages, and in a full run presses everything there. */
const testMsMax = 600_000;

let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  const starting = startWebRig(undefined, {}, (rig) => fillHouse(rig, shownEmail));
  [web, browser] = await Promise.all([starting, TestBrowser.launch()]);
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

/** Every page of the admin, once. */
const pages = [
  ...new Set(shownPages.filter(({ as }) => as === "admin").map(({ path }) => new URL(path, "http://a").pathname)),
];

/** Some of what each role is offered, and on which page: a walk that finds nothing would find no fault. */
const offers: Readonly<Record<LimitedRole, Readonly<Partial<Record<AdminOperation, string>>>>> = {
  read_only: {},
  support: {
    "/backend/admin/key/lock/": "/admin/keys/",
    "/backend/admin/incident/create/": "/admin/status/",
    "/backend/admin/user/sessions/revoke/": "/admin/users/",
  },
  billing: {
    "/backend/admin/renewal/cancel/": "/admin/renewals/",
    "/backend/admin/top-up/close/": "/admin/top-ups/",
  },
};

/** Every page is looked at by each role. Everything on it is pressed by one of them, and with TEST_FULL=1 by each. */
function isPressedBy(role: LimitedRole, path: string): boolean {
  const { TEST_FULL } = process.env;
  const isTurn = pages.indexOf(path) % limitedRoles.length === limitedRoles.indexOf(role);
  return TEST_FULL === "1" || isTurn || Object.values(offers[role]).includes(path);
}

test.each([...limitedRoles])(
  "%s is offered no page, form, button and link that would be refused, and no page makes a refused request",
  async (role) => {
    const { cookie } = await loginAdmin(web.rig, { isSuper: false, role });
    // On a busy machine the money check may take longer than a statement may; that refuses nobody.
    const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [418, 503] });
    const visitor = new RoleVisitor(watched.page, role);
    try {
      await visitor.begin();
      for (const path of pages) {
        await visitor.visit(path, isPressedBy(role, path));
      }
      expect({ wrong: [...visitor.wrong], faults: watched.faults }).toEqual({ wrong: [], faults: [] });
      expect([...visitor.offered]).toEqual(expect.arrayContaining(Object.keys(offers[role])));
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);
