import { createSignal, type JSX } from "solid-js";
import { Button } from "../kit/button.tsx";
import { Card, Facts, Figure, Figures } from "../kit/card.tsx";
import { CodeBlock, CopyText } from "../kit/code.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import { EmptyState, ErrorState, Notice, Skeleton } from "../kit/states.tsx";
import { Badge, Status } from "../kit/status.tsx";
import { Tabs } from "../kit/tabs.tsx";
import { showToast } from "../kit/toast.tsx";
import { Term } from "../kit/tooltip.tsx";

const snippet = `export API_KEY="sk-..."   # made in the console
curl http://localhost:3000/v1/models \\
  -H "Authorization: Bearer $API_KEY"`;

export function KitParts(): JSX.Element {
  return (
    <>
      <Buttons />
      <Overlays />
      <Values />
      <States />
    </>
  );
}

function Buttons(): JSX.Element {
  return (
    <Card title="Buttons">
      <div class="kit-row">
        <Button variant="primary">Create key</Button>
        <Button>Copy</Button>
        <Button variant="quiet">Cancel</Button>
        <Button variant="danger">Revoke now</Button>
        <Button disabled>Not yet</Button>
        <Button variant="primary" isBusy>
          Saving
        </Button>
        <Button shape="square" aria-label="Download">
          <Icon name="download" />
        </Button>
        <Button variant="primary" size="large">
          Get started
        </Button>
      </div>
    </Card>
  );
}

function Overlays(): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const [isAsking, setIsAsking] = createSignal(false);
  const [isOn, setIsOn] = createSignal(true);
  return (
    <Card title="What floats">
      <div class="kit-row">
        <Button onClick={() => setIsOpen(true)}>Open a dialog</Button>
        <Button onClick={() => setIsAsking(true)}>Ask before</Button>
        <Menu
          label="Row actions"
          button={
            <>
              Actions
              <Icon name="down" />
            </>
          }
          entries={[
            { label: "Copy the id", onSelect: () => showToast("Copied") },
            { label: "Compact rows", isChecked: isOn(), onSelect: () => setIsOn(!isOn()) },
            { label: "Not for you", isDisabled: true, onSelect: () => undefined },
            "line",
            { label: "Revoke", tone: "bad", onSelect: () => setIsAsking(true) },
          ]}
        />
        <Button onClick={() => showToast("Key disabled", "neutral", { label: "Undo", onSelect: () => undefined })}>
          Show a toast
        </Button>
        <Button onClick={() => showToast("The key was not disabled", "bad")}>Show a failure</Button>
        <Term definition="From the request to the first byte of the answer.">TTFT</Term>
      </div>
      <Dialog isOpen={isOpen()} onClose={() => setIsOpen(false)} title="A dialog">
        <p>It keeps the focus inside, closes with Escape and gives the focus back.</p>
        <div class="dialog-actions">
          <Button onClick={() => setIsOpen(false)}>Cancel</Button>
          <Button variant="primary" onClick={() => setIsOpen(false)}>
            Do it
          </Button>
        </div>
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setIsAsking(false)}
        onConfirm={() => setIsAsking(false)}
        title="Revoke this key?"
        action="Revoke now"
        typed={{ word: "laptop", label: "Type laptop to confirm" }}
      >
        Calls with it are refused within a second. This can't be undone.
      </ConfirmDialog>
    </Card>
  );
}

function Values(): JSX.Element {
  const [tab, setTab] = createSignal<"curl" | "python">("curl");
  return (
    <>
      <Figures label="Figures">
        <Figure label="Balance" value="$128.40" note="19 days at this pace" />
        <Figure label="Requests" value="48,210" note="+12 % to the week before" />
        <Figure label="First byte, p50" value="412" unit="ms" />
        <Figure label="On its way" value={<Skeleton width="6rem" />} />
      </Figures>
      <Card title="Values">
        <div class="kit-row">
          <Status tone="ok">active</Status>
          <Status tone="warn">cooling down</Status>
          <Status tone="bad">revoked</Status>
          <Status tone="info">testing</Status>
          <Status tone="neutral">hidden</Status>
          <Badge>default</Badge>
        </div>
        <Facts
          facts={[
            { name: "Request", value: <CopyText text="0193-5c7e-7d2b" label="Copy the id of the request" /> },
            { name: "E-mail", value: "ada@example.com" },
          ]}
        />
        <Tabs
          label="Languages"
          tabs={[
            { id: "curl", label: "curl" },
            { id: "python", label: "Python" },
          ]}
          selected={tab()}
          onSelect={setTab}
        >
          <CodeBlock
            label={tab()}
            code={tab() === "curl" ? snippet : 'client = OpenAI(base_url="http://localhost:3000/v1")'}
          />
        </Tabs>
      </Card>
    </>
  );
}

function States(): JSX.Element {
  return (
    <Card title="States">
      <EmptyState title="No keys yet" actions={<Button variant="primary">Create key</Button>}>
        A key is what a program shows to be let in. Make one for each tool.
      </EmptyState>
      <ErrorState
        error={{ message: "The database does not answer. Nothing was charged.", requestId: "0193-5c7e-7d2b" }}
        onRetry={() => showToast("Asked again", "info")}
      />
      <Notice tone="warn">Two keys run out this week.</Notice>
      <Skeleton width="70%" />
    </Card>
  );
}
