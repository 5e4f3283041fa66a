import { Router, type RouteSectionProps, useNavigate } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import { createMemo, type JSX, onCleanup, onMount } from "solid-js";
import { apiPost, onRefused } from "../api/client.ts";
import { createQueryClient } from "../api/query-client.ts";
import { EmptyState } from "../kit/states.tsx";
import { toNavEntries, toRouterRoutes } from "../shell/app-routes.ts";
import { PageBoundary } from "../shell/page-boundary.tsx";
import { PageHead, Shell } from "../shell/shell.tsx";
import { shellTextsEn } from "../shell/shell-texts.ts";
import { useAdminTitle } from "./admin-title.ts";
import { BuildLine } from "./parts/build-line.tsx";
import { createMe, mayCall } from "./parts/rights.tsx";
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
      adminRoutes.filter(({ reads }) => reads === undefined || me.admin() === undefined || mayCall(me.admin(), reads)),
      adminNavTexts,
    ),
  );
  // Admins without a required authenticator see where to set it up.
  onMount(() => onCleanup(onRefused("second_factor_required", () => navigate("/account/"))));
  return (
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
        <PageBoundary failedTitle="This page could not be loaded">{props.children}</PageBoundary>
      </SavedViews>
      <StepUpDialog />
    </Shell>
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
