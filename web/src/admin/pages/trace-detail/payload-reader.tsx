import type { BodyView, payloadReadOutput, traceDetailOutput } from "@sluice/contracts/traces";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Match, onCleanup, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { readableBody } from "../../../kit/readable-body.ts";
import { EmptyState, Notice } from "../../../kit/states.tsx";
import { AdminForm } from "../../parts/form-parts.tsx";
import { SuperOnly } from "../../parts/rights.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { curlCommand } from "./curl-command.ts";

type Payload = ResponseOf<typeof traceDetailOutput>["payload"];
type Opened = ResponseOf<typeof payloadReadOutput>;

const shownMs = 300_000;
const tickMs = 1_000;
const secondsAMinute = 60;
const reasonLengthMin = 5;

const whyNot: Readonly<Record<string, string>> = {
  expired: "It was destroyed at the end of its retention.",
  off: "Payload storage is off for this key or the whole service.",
  dropped: "It was not stored because too much was being written at the time.",
  none: "The call had no body.",
};

type PayloadReaderProps = {
  readonly requestId: string;
  readonly day: string;
  readonly state: string;
  readonly payload: Payload;
  readonly call: { readonly method: string; readonly path: string };
  readonly onRead: () => void;
};

/**
 * Opens the bodies of a call, for super-admins, with a recorded reason. They are hidden after five minutes, and gone
 * from the page as soon as it is left.
 */
export function PayloadReader(props: PayloadReaderProps): JSX.Element {
  return (
    <Card title="Payload">
      <Show
        when={props.payload}
        fallback={<EmptyState title="No payload to read">{whyNot[props.state] ?? props.state}</EmptyState>}
      >
        {(payload) => (
          <>
            <Facts
              facts={[
                { name: "Request", value: `${shownCount(payload().request_bytes)} bytes` },
                { name: "Answer", value: `${shownCount(payload().response_bytes)} bytes` },
                { name: "Destroyed", value: shownMoment(payload().expires_at) },
              ]}
            />
            <SuperOnly what="Payloads can be read">
              <Reader {...props} />
            </SuperOnly>
          </>
        )}
      </Show>
    </Card>
  );
}

function Reader(props: PayloadReaderProps): JSX.Element {
  const [opened, setOpened] = createSignal<Opened | null>(null);
  const [left, setLeft] = createSignal(0);
  let timer: ReturnType<typeof setInterval> | undefined;
  const hide = (): void => {
    clearInterval(timer);
    setOpened(null);
  };
  onCleanup(hide);
  const show = (answer: Opened): void => {
    const until = Date.now() + shownMs;
    setOpened(answer);
    setLeft(shownMs);
    clearInterval(timer);
    timer = setInterval(() => {
      setLeft(Math.max(until - Date.now(), 0));
      if (left() === 0) {
        hide();
      }
    }, tickMs);
  };
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) =>
      reason.trim().length < reasonLengthMin ? { reason: "Give a reason of at least five characters." } : {},
    submit: async ({ reason }) => {
      show(
        await apiPost<typeof payloadReadOutput>("/backend/admin/trace/payload/", {
          request_id: props.requestId,
          day: props.day,
          reason: reason.trim(),
        }),
      );
      form.reset();
      props.onRead();
    },
  });
  return (
    <Switch>
      <Match when={opened()}>
        {(answer) => (
          <>
            <Notice tone="warn">
              <span>
                Hidden in <span class="numeric">{minutesText(left())}</span>. Access number {answer().access.number} was
                recorded.
              </span>
              <Button onClick={hide}>Hide now</Button>
            </Notice>
            <AsCurl call={props.call} body={answer().request} />
            <Body title="Request" body={answer().request} />
            <Body title="Answer" body={answer().response} />
          </>
        )}
      </Match>
      <Match when={opened() === null}>
        <AdminForm form={form} operation="/backend/admin/trace/payload/" action="Decrypt" tone="danger">
          <TextArea
            label="Reason"
            hint="Permanently recorded with your name. Required to read the payload."
            {...form.text("reason")}
          />
        </AdminForm>
      </Match>
    </Switch>
  );
}

function AsCurl(props: { readonly call: PayloadReaderProps["call"]; readonly body: BodyView | null }): JSX.Element {
  return (
    <Show when={curlCommand({ ...props.call, origin: location.origin, body: props.body })}>
      {(command) => (
        <div class="button-row">
          <span class="muted">The request as a command, with the key in $GATEWAY_API_KEY</span>
          <CopyButton text={command} label="Copy as curl" />
        </div>
      )}
    </Show>
  );
}

function minutesText(ms: number): string {
  const seconds = Math.ceil(ms / tickMs);
  return `${Math.floor(seconds / secondsAMinute)}:${(seconds % secondsAMinute).toString().padStart(2, "0")}`;
}

function Body(props: { readonly title: string; readonly body: BodyView | null }): JSX.Element {
  return (
    <Show when={props.body} fallback={<p class="muted">{props.title}: none</p>}>
      {(body) => (
        <section class="section-stack" aria-label={props.title}>
          <div class="button-row">
            <h3>{props.title}</h3>
            <span class="muted">
              {shownCount(body().bytes)} bytes{body().encoding === "base64" ? ", in base64" : ""}
              {body().is_truncated ? ", truncated" : ""}
            </span>
            <CopyButton text={() => body().content} label={`Copy: ${props.title}`} variant="quiet" isSquare />
          </div>
          <section class="code-value" tabindex="0" aria-label={`${props.title}, content`}>
            {readableBody(body())}
          </section>
        </section>
      )}
    </Show>
  );
}
