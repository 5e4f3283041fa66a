import type { adminListResponse } from "@sluice/contracts/accounts";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { rightsOf, SuperOnly } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import type { Admin, AdminAction } from "./admin.ts";
import { AdminPanel } from "./admin-panel.tsx";
import { AdminActionForm, actionTitles, CreateForm } from "./forms.tsx";

const path = "/backend/admin/admin/list/";

const columns: readonly Column<Admin>[] = [
  { id: "username", label: t("Username"), cell: (admin) => admin.username, card: "title" },
  { id: "email", label: t("E-mail"), cell: (admin) => shownText(admin.email) },
  { id: "role", label: t("Role"), cell: (admin) => <StateWord state={rightsOf(admin)} />, card: "badge" },
  {
    id: "has_totp",
    label: t("Authenticator"),
    cell: (admin) => <StateWord state={admin.has_totp ? "enabled" : "not_set_up"} />,
  },
  { id: "sessions", label: t("Sessions"), cell: (admin) => shownCount(admin.sessions), align: "end" },
  { id: "last_login_at", label: t("Last login"), cell: (admin) => listMoment(admin.last_login_at, t("never")) },
  { id: "created_at", label: t("Created"), cell: (admin) => listMoment(admin.created_at), isHiddenAtFirst: true },
];

/** Who may work here, and with which rights. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Admins"));
  return (
    <>
      <PageHead
        title={t("Admins")}
        text={t(
          "Super-admins grant and remove access. Passwords are set through a link sent by e-mail; nobody else sees them.",
        )}
      />
      <SuperOnly what={t("Admins can be viewed and changed")}>
        <AdminList />
      </SuperOnly>
    </>
  );
}

function AdminList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const [opened, setOpened] = createSignal<{ readonly action: AdminAction; readonly admin: Admin } | "create" | null>(
    null,
  );
  const close = (): void => {
    setOpened(null);
  };
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof adminListResponse>(path, { signal }),
  }));
  const title = (): string => {
    const current = opened();
    return current === null || current === "create" ? t("Create an admin") : actionTitles[current.action];
  };
  return (
    <>
      <DataTable
        name="admin-admins"
        label={t("Admins")}
        columns={columns}
        state={state}
        rows={query.data?.admins}
        rowId={(admin) => String(admin.admin_id)}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={{ title: t("No admins yet"), text: t("Create the first one with a command on the server.") }}
        actions={
          <Button variant="primary" onClick={() => setOpened("create")}>
            {t("Create an admin")}
          </Button>
        }
        panel={{
          title: (admin) => admin.username,
          content: (admin) => <AdminPanel admin={admin} onAct={(action) => setOpened({ action, admin })} />,
        }}
      />
      <Dialog isOpen={opened() !== null} onClose={close} title={title()}>
        <Show when={opened()} keyed>
          {(current) =>
            current === "create" ? (
              <CreateForm onDone={close} />
            ) : (
              <AdminActionForm admin={current.admin} action={current.action} onDone={close} />
            )
          }
        </Show>
      </Dialog>
    </>
  );
}
