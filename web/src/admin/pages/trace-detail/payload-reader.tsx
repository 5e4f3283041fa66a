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
import { rich, t } from "../../translate.ts";
import { curlCommand } from "./curl-command.ts";

type Payload = ResponseOf<typeof traceDetailOutput>["payload"];
type Opened = ResponseOf<typeof payloadReadOutput>;

const shownMs = 300_000;
const tickMs = 1_000;
const secondsAMinute = 60;
const reasonLengthMin = 5;

const whyNot: Readonly<Record<string, string>> = {
  expired: t("It was destroyed at the end of its retention."),
  off: t("Payload storage is off for this key or the whole service."),
  dropped: t("It was not stored because too much was being written at the time."),
  none: t("The call had no body."),
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
    <Card title={t("Payload")}>
      <Show
        when={props.payload}
        fallback={<EmptyState title={t("No payload to read")}>{whyNot[props.state] ?? props.state}</EmptyState>}
      >
        {(payload) => (
          <>
            <Facts
              facts={[
                {
                  name: t("Request"),
                  value: t("{request_bytes} bytes", { request_bytes: shownCount(payload().request_bytes) }),
                },
                {
                  name: t("Response"),
                  value: t("{response_bytes} bytes", { response_bytes: shownCount(payload().response_bytes) }),
                },
                { name: t("Destroyed"), value: shownMoment(payload().expires_at) },
              ]}
            />
            <SuperOnly what={t("Payloads can be read")}>
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
      reason.trim().length < reasonLengthMin ? { reason: t("Give a reason of at least five characters.") } : {},
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
                {rich("Hidden in {left}. Access number {number} was recorded.", {
                  left: <span class="numeric">{minutesText(left())}</span>,
                  number: answer().access.number,
                })}
              </span>
              <Button onClick={hide}>{t("Hide now")}</Button>
            </Notice>
            <AsCurl call={props.call} body={answer().request} />
            <Body title={t("Request")} body={answer().request} />
            <Body title={t("Response")} body={answer().response} />
          </>
        )}
      </Match>
      <Match when={opened() === null}>
        <AdminForm form={form} operation="/backend/admin/trace/payload/" action={t("Decrypt")} tone="danger">
          <TextArea
            label={t("Reason")}
            hint={t("Permanently recorded with your name. Required to read the payload.")}
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
          <span class="muted">{t("The request as a command, with the key in $GATEWAY_API_KEY")}</span>
          <CopyButton text={command} label={t("Copy as curl")} />
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
    <Show when={props.body} fallback={<p class="muted">{rich("{title}: none", { title: props.title })}</p>}>
      {(body) => (
        <section class="section-stack" aria-label={props.title}>
          <div class="button-row">
            <h3>{props.title}</h3>
            <span class="muted">
              {rich("{bytes} bytes{encoding}{cut}", {
                bytes: shownCount(body().bytes),
                encoding: body().encoding === "base64" ? t(", in base64") : "",
                cut: body().is_truncated ? t(", truncated") : "",
              })}
            </span>
            <CopyButton
              text={() => body().content}
              label={t("Copy: {title}", { title: props.title })}
              variant="quiet"
              isSquare
            />
          </div>
          <section class="code-value" tabindex="0" aria-label={t("{title}, content", { title: props.title })}>
            {readableBody(body())}
          </section>
        </section>
      )}
    </Show>
  );
}
