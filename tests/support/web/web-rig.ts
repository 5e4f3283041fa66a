import { isAdminLocale } from "@sluice/contracts/locales";
import { addGatewayUser } from "@sluice/control-plane/gateway/gateway-users.ts";
import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { ShownPage } from "../../shots/pages.ts";
import { loginAdmin, loginUser, type UserLogin } from "../accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";
import type { PageOptions } from "./browser.ts";
import { newcomerCookie, newcomerEmail } from "./newcomer.ts";
import { builtWeb } from "./web-build.ts";

/** Whose account the pages of the console show. */
export const shownEmail = "ada@example.org";
/** Who owns the organisation that admins see. */
const ownerEmail = "owner@hohenstein.example";

/** The program with the web UI, the first plans, a logged-in user and admin, and an organisation of somebody else. */
export type WebRig = {
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly cookies: Readonly<Record<ShownPage["as"], string | undefined>>;
  /** Sets the language of the user, in which the console is from then on. */
  readonly speak: (locale: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * @param upstreamUrl the address of a provider without its `/v1`; the default answers nothing
 * @param env more of the environment of the program
 * @param fill adds more to the database before the program starts, which then renders the public pages once
 */
export async function startWebRig(
  upstreamUrl = "http://127.0.0.1:9",
  env: Readonly<Record<string, string>> = {},
  fill: (rig: SluiceRig) => Promise<void> = async () => {},
): Promise<WebRig> {
  const [rig, webDist] = await Promise.all([SluiceRig.create(upstreamUrl), builtWeb()]);
  await rig.db.withTransaction(addFirstPlans);
  const user = await loginUser(rig, { quota: 2_500_000n, email: shownEmail });
  // A password, though none that is right: a user without one is asked to set it.
  await rig.db.sql`update user_profile set password_hash = '!' where email = ${shownEmail}`;
  const admin = await loginAdmin(rig);
  const owner = await addShownOrganisation(rig.db);
  await fill(rig);
  const sluice = await rig.startProcess({ WEB_DIST: webDist, NODE_ENV: "development", ...env });
  return {
    rig,
    sluice,
    cookies: {
      nobody: undefined,
      user: user.cookie,
      owner: owner.cookie,
      newcomer: newcomerCookie,
      admin: admin.cookie,
    },
    speak: async (locale) => {
      await rig.db.sql`
        update user_profile set locale = ${locale} where email in (${shownEmail}, ${ownerEmail}, ${newcomerEmail})`;
    },
    close: () => rig.close(),
  };
}

/** The organisation whose pages admins see, the first one. */
const shownOrganisation = { id: "1", name: "Hohenstein Research & Development of Northern Europe", role: "owner" };

/** Adds it, with its owner. The shown user is not a member, so that the console begins without one. */
async function addShownOrganisation(db: Database): Promise<UserLogin> {
  const owner = await loginUser({ db }, { email: ownerEmail });
  await db.withTransaction(async (tx) => {
    const { gatewayUserId } = await addGatewayUser(tx, "default", { amount: 0n, changeType: "test" });
    await tx.sql`
      with made as (
        insert into organisation (gateway_user_id, name)
        values (${gatewayUserId}::bigint, ${shownOrganisation.name}) returning id)
      insert into organisation_member (organisation_id, user_id, role)
      select id, ${owner.userId}::bigint, ${shownOrganisation.role} from made`;
  });
  return owner;
}

/** Whether a page can be shown in a language; for those that it lacks, the admin area only changes direction. */
export function isShownIn({ arabic, as }: ShownPage, locale: string): boolean {
  return (
    (as === "admin" && isAdminLocale(locale)) || (arabic !== "none" && (arabic !== "direction" || locale === "ar"))
  );
}

/** Where a page is in a language, and how a browser has to be opened for it. */
export function inLanguage(
  { path, arabic, as }: ShownPage,
  locale: string,
): { readonly path: string; readonly locale?: string } {
  if (as === "admin" && isAdminLocale(locale)) {
    return { path, locale };
  }
  switch (arabic) {
    case "address":
      return { path: `/${locale}${path}` };
    case "choice":
      return { path, locale };
    case "direction":
      return { path: `${path}${path.includes("?") ? "&" : "?"}dir=rtl` };
    case "none":
      return { path };
  }
}

/** How a browser has to be opened for a page. */
export function pageOptions(web: WebRig, shown: ShownPage): PageOptions {
  const cookie = web.cookies[shown.as];
  return {
    url: web.sluice.url,
    ...(cookie === undefined ? {} : { cookie }),
    ...(shown.as === "owner" ? { preferences: { "acting-for": JSON.stringify(shownOrganisation) } } : {}),
    ...(shown.expectedStatuses === undefined ? {} : { expectedStatuses: shown.expectedStatuses }),
  };
}
