import type { emptyResponse } from "@sluice/contracts/accounts";
import { roleNames } from "@sluice/contracts/admin-roles";
import { type AdminLocale, adminLocales } from "@sluice/contracts/locales";
import { Navigate, Router, type RouteSectionProps, useLocation, useNavigate } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import { createMemo, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { apiPost, onRefused } from "../api/client.ts";
import { createQueryClient } from "../api/query-client.ts";
import { KitTextsProvider } from "../kit/kit-texts.tsx";
import { kitTextsEn } from "../kit/kit-texts-en.ts";
import { EmptyState, ErrorState } from "../kit/states.tsx";
import { showToast } from "../kit/toast.tsx";
import { toNavEntries, toRouterRoutes } from "../shell/app-routes.ts";
import { PageSkeleton } from "../shell/loaded-page.tsx";
import { PageBoundary } from "../shell/page-boundary.tsx";
import { PageHead, Shell } from "../shell/shell.tsx";
import { shellTextsEn } from "../shell/shell-texts.ts";
import { useAdminTitle } from "./admin-title.ts";
import { loadPage } from "./load-page.ts";
import { failureText } from "./parts/actions.ts";
import { BuildLine } from "./parts/build-line.tsx";
import { createMe, hasPage, type Me, MeProvider, mayOpen } from "./parts/rights.tsx";
import { SavedViews } from "./parts/saved-views.tsx";
import { StepUpDialog } from "./parts/step-up-dialog.tsx";
import { adminRoutes } from "./routes.ts";
import { adminNavTexts } from "./texts.ts";
import { adminLocale, known, t } from "./translate.ts";

/** The languages of the admin, each in itself. */
const localeNames: Readonly<Record<AdminLocale, string>> = { en: "English", zh: "中文" };

const frameTexts = translated(shellTextsEn);
const kitTexts = translated(kitTextsEn);

/** The texts of parts that console and admin share. */
function translated<Texts extends Readonly<Record<string, string>>>(
  texts: Texts,
): { readonly [Key in keyof Texts]: string } {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, known(text)])) as Texts;
}

const personLinks = [
  { label: t("Your account"), href: "/admin/account/" },
  { label: t("API description"), href: "/backend/docs/" },
  { label: t("Website"), href: "/" },
];

/** The admin area: every page inside the one frame. */
export function AdminApp(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <KitTextsProvider texts={() => kitTexts}>
        <Router base="/admin" root={Frame}>
          {[...toRouterRoutes(adminRoutes, loadPage, OfRole), { path: "*", component: UnknownPage }]}
        </Router>
      </KitTextsProvider>
    </QueryClientProvider>
  );
}

function Frame(props: RouteSectionProps): JSX.Element {
  const navigate = useNavigate();
  const me = createMe();
  // What the role may not see is left out, also among what the search offers.
  const nav = createMemo(() =>
    toNavEntries(
      adminRoutes.filter(({ path }) => me.admin() === undefined || mayOpen(me.admin(), `/admin${path}`)),
      adminNavTexts,
    ),
  );
  // Admins without a required authenticator see where to set it up.
  onMount(() => onCleanup(onRefused("second_factor_required", () => navigate("/account/"))));
  return (
    <MeProvider me={me}>
      <Shell
        area="admin"
        areaLabel={t("Admin")}
        loginPath="/admin/"
        texts={frameTexts}
        nav={nav()}
        search={async (...asked) => (await import("./parts/find-records.ts")).findRecords(...asked)}
        loadActions={async (open) => (await import("./parts/palette-actions.ts")).adminActions(me.admin(), open)}
        person={me.admin()?.username}
        personLinks={personLinks}
        personChoices={[
          { heading: t("Language") },
          ...adminLocales.map((locale) => ({
            label: localeNames[locale],
            isChecked: locale === adminLocale,
            onSelect: () => void chooseLocale(locale),
          })),
        ]}
        foot={<BuildLine />}
        onLogOut={() => void logOut()}
      >
        <SavedViews>
          <PageBoundary failedTitle={t("This page could not be loaded")}>{props.children}</PageBoundary>
        </SavedViews>
        <StepUpDialog />
      </Shell>
    </MeProvider>
  );
}

/**
 * The page, once it is known that the role has it: no request of it is refused for the role. If that can't be known, the page
 * is shown without what only some roles may do.
 */
function OfRole(props: { readonly children: JSX.Element }): JSX.Element {
  const me = createMe();
  const location = useLocation();
  const mayShow = (): boolean => hasPage(me.admin(), location.pathname);
  return (
    <Switch fallback={<PageSkeleton />}>
      <Match when={mayShow() || me.error() !== null}>
        <Show when={me.error()}>
          {(error) => <ErrorState title={t("Your rights could not be checked")} error={error()} onRetry={me.retry} />}
        </Show>
        {props.children}
      </Match>
      <Match when={me.admin()}>
        {(admin) => (
          // Each page that is refused is a page of its own, with a heading of its own.
          <Show when={location.pathname} keyed>
            {(path) => <NoPage admin={admin()} isHome={path === "/admin/"} />}
          </Show>
        )}
      </Match>
    </Switch>
  );
}

/** Instead of a page that the role does not have; instead of the dashboard, the first page that it has. */
function NoPage(props: {
  readonly admin: NonNullable<ReturnType<Me["admin"]>>;
  readonly isHome: boolean;
}): JSX.Element {
  const role = (): string => known(roleNames[props.admin.role]);
  const first = () => adminRoutes.find(({ path, nav }) => nav !== undefined && mayOpen(props.admin, `/admin${path}`));
  return (
    <Show when={props.isHome ? first() : undefined} fallback={<Refused role={role()} name={props.admin.username} />}>
      {(route) => <Navigate href={route().path} />}
    </Show>
  );
}

function Refused(props: { readonly role: string; readonly name: string }): JSX.Element {
  useAdminTitle(() => t("Not for your role"));
  return (
    <>
      <PageHead title={t("Not for your role")} />
      <EmptyState title={t("The role {role} does not have this page.", { role: props.role })}>
        {t("You are logged in as {name}. The sidebar lists every page of your role; a super-admin can change it.", {
          name: props.name,
        })}
      </EmptyState>
    </>
  );
}

function UnknownPage(): JSX.Element {
  useAdminTitle(() => t("Not found"));
  return (
    <>
      <PageHead title={t("This admin page does not exist")} />
      <EmptyState title={t("The sidebar lists every page.")} />
    </>
  );
}

/** Stores the choice with the admin's login, and reloads: every text and number of the page depends on it. */
async function chooseLocale(locale: AdminLocale): Promise<void> {
  try {
    await apiPost<typeof emptyResponse>("/backend/auth/admin/locale/save/", { locale });
  } catch (error) {
    showToast(failureText(error), "bad");
    return;
  }
  location.reload();
}

async function logOut(): Promise<void> {
  try {
    await apiPost("/backend/auth/admin/logout/", {});
  } finally {
    location.assign("/admin/");
  }
}
