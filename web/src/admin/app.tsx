import { roleNames } from "@sluice/contracts/admin-roles";
import { Navigate, Router, type RouteSectionProps, useLocation, useNavigate } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import { createMemo, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { apiPost, onRefused } from "../api/client.ts";
import { createQueryClient } from "../api/query-client.ts";
import { EmptyState } from "../kit/states.tsx";
import { toNavEntries, toRouterRoutes } from "../shell/app-routes.ts";
import { PageSkeleton } from "../shell/loaded-page.tsx";
import { PageBoundary } from "../shell/page-boundary.tsx";
import { PageHead, Shell } from "../shell/shell.tsx";
import { shellTextsEn } from "../shell/shell-texts.ts";
import { useAdminTitle } from "./admin-title.ts";
import { BuildLine } from "./parts/build-line.tsx";
import { createMe, hasPage, type Me, MeProvider, mayOpen } from "./parts/rights.tsx";
import { SavedViews } from "./parts/saved-views.tsx";
import { StepUpDialog } from "./parts/step-up-dialog.tsx";
import { adminRoutes } from "./routes.ts";
import { adminNavTexts } from "./texts.ts";

const personLinks = [
  { label: "Your account", href: "/admin/account/" },
  { label: "API description", href: "/backend/docs/" },
  { label: "Website", href: "/" },
];

/** The admin area: every page inside the one frame. */
export function AdminApp(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <Router base="/admin" root={Frame}>
        {[...toRouterRoutes(adminRoutes), { path: "*", component: UnknownPage }]}
      </Router>
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
        areaLabel="Admin"
        loginPath="/admin/"
        texts={shellTextsEn}
        nav={nav()}
        search={async (...asked) => (await import("./parts/find-records.ts")).findRecords(...asked)}
        person={me.admin()?.username}
        personLinks={personLinks}
        foot={<BuildLine />}
        onLogOut={() => void logOut()}
      >
        <SavedViews>
          <PageBoundary failedTitle="This page could not be loaded">
            <OfRole>{props.children}</OfRole>
          </PageBoundary>
        </SavedViews>
        <StepUpDialog />
      </Shell>
    </MeProvider>
  );
}

/** The page, once it is known that the role has it: no request of it is refused for the role. */
function OfRole(props: { readonly children: JSX.Element }): JSX.Element {
  const me = createMe();
  const location = useLocation();
  const mayShow = (): boolean => hasPage(me.admin(), location.pathname);
  return (
    <Switch fallback={<PageSkeleton />}>
      {/* Without an answer, the page says itself what failed. */}
      <Match when={mayShow() || (me.admin() === undefined && me.error() !== null)}>{props.children}</Match>
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
  const role = (): string => roleNames[props.admin.role];
  const first = () => adminRoutes.find(({ path, nav }) => nav !== undefined && mayOpen(props.admin, `/admin${path}`));
  return (
    <Show when={props.isHome ? first() : undefined} fallback={<Refused role={role()} name={props.admin.username} />}>
      {(route) => <Navigate href={route().path} />}
    </Show>
  );
}

function Refused(props: { readonly role: string; readonly name: string }): JSX.Element {
  useAdminTitle(() => "Not for your role");
  return (
    <>
      <PageHead title="Not for your role" />
      <EmptyState title={`The role ${props.role} does not have this page.`}>
        You are logged in as {props.name}. The sidebar lists every page of your role; a super-admin can change it.
      </EmptyState>
    </>
  );
}

function UnknownPage(): JSX.Element {
  useAdminTitle(() => "Not found");
  return (
    <>
      <PageHead title="This admin page does not exist" />
      <EmptyState title="The sidebar lists every page." />
    </>
  );
}

async function logOut(): Promise<void> {
  try {
    await apiPost("/backend/auth/admin/logout/", {});
  } finally {
    location.assign("/admin/");
  }
}
