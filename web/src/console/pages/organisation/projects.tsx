import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { projectResponse } from "@sluice/contracts/organisations";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { Acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import { budgetProblem, budgetWords, sentBudget, typedBudget } from "./budget.ts";
import { organisationArea } from "./messages/messages.ts";
import styles from "./organisation.module.css";
import type { Project } from "./queries.ts";

/** The projects, with what each has spent of its budget in this month. */
export function ProjectList(props: {
  readonly projects: readonly Project[];
  readonly role: Acting["role"];
  readonly onChanged: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const [asked, setAsked] = createSignal<Project | "new" | null>(null);
  const mayChange = (): boolean => mayInOrganisation(props.role, "projects");
  return (
    <Card
      title={texts.projects}
      actions={
        <Show when={mayChange()}>
          <Button onClick={() => setAsked("new")}>
            <Icon name="plus" />
            {texts.newProject}
          </Button>
        </Show>
      }
    >
      <Show
        when={props.projects.length > 0}
        fallback={<EmptyState title={texts.noProjects}>{texts.noProjectsText}</EmptyState>}
      >
        <ul class={`plain-list ${styles["rows"]}`}>
          <For each={props.projects}>
            {(project) => (
              <li class={styles["row"]}>
                <div>
                  <strong>
                    <bdi>{project.name}</bdi>
                  </strong>{" "}
                  <Show when={project.status === "archived"}>
                    <Status tone="neutral">{texts.archived}</Status>
                  </Show>
                  <div class="muted">
                    {fill(texts.liveKeys, { count: formats.number(Number(project.live_keys)) })} ·{" "}
                    {budgetWords(project, texts)}
                  </div>
                </div>
                <Show when={mayChange()}>
                  <Button aria-label={`${texts.change}: ${project.name}`} onClick={() => setAsked(project)}>
                    {texts.change}
                  </Button>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={asked()} keyed>
        {(chosen) => (
          <ProjectDialog
            project={chosen === "new" ? null : chosen}
            onClose={() => setAsked(null)}
            onChanged={props.onChanged}
          />
        )}
      </Show>
    </Card>
  );
}

function ProjectDialog(props: {
  readonly project: Project | null;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const form = createForm({
    initial: {
      name: props.project?.name ?? "",
      spend_per_month: typedBudget(props.project ?? { spend_per_month: null }),
      isArchived: props.project?.status === "archived",
    },
    check: ({ name, spend_per_month }) => {
      const problem = budgetProblem(spend_per_month, texts);
      return {
        ...(name.trim() === "" ? { name: texts.nameMissing } : {}),
        ...(problem === null ? {} : { spend_per_month: problem }),
      };
    },
    submit: async ({ name, spend_per_month, isArchived }) => {
      await apiPost<typeof projectResponse>("/backend/organisations/project/save/", {
        ...(props.project === null ? {} : { project_id: props.project.project_id }),
        ...{ name: name.trim(), spend_per_month: sentBudget(spend_per_month) },
        status: isArchived ? "archived" : "active",
      });
      showToast(texts.saved);
      props.onClose();
      props.onChanged();
    },
  });
  return (
    <Dialog isOpen onClose={props.onClose} title={props.project?.name ?? texts.newProject}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField label={texts.name} autocomplete="off" maxlength={80} {...form.text("name")} />
        <TextField
          label={texts.budget}
          hint={texts.budgetHint}
          inputmode="decimal"
          autocomplete="off"
          {...form.text("spend_per_month")}
        />
        <Show when={props.project !== null}>
          <Checkbox label={texts.archive} {...form.flag("isArchived")} />
        </Show>
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
