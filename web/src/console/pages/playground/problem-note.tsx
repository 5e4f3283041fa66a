import { type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { mayDo } from "../../acting-for.ts";
import type { Problem } from "./conversation.ts";
import { playgroundArea } from "./messages/messages.ts";

/** Errors that another model may not have. */
const ofModel: ReadonlySet<string> = new Set(["model_not_found", "model_ended", "group_unavailable"]);
/** Errors that pass. */
const passing: ReadonlySet<string> = new Set([
  ...["no_upstream", "upstream_error", "upstream_unreachable", "upstream_timeout", "upstream_rate_limited"],
  ...["stream_interrupted", "temporarily_unavailable", "storage_unavailable", "shutting_down", "rate_limit_exceeded"],
]);
/** Problems of the page and not of a call: the docs have nothing about them. */
const ownCodes: ReadonlySet<string> = new Set(["key_limit", "offline", "unreadable"]);

/** What failed, and what to do about it. */
export function ProblemNote(props: {
  readonly problem: Problem;
  readonly onRetry: (() => void) | undefined;
}): JSX.Element {
  const texts = playgroundArea.texts();
  const cure = (): string | null => {
    const { code } = props.problem;
    if (code === "key_limit") {
      return texts.keyLimit;
    }
    return ofModel.has(code) ? texts.otherModel : passing.has(code) ? texts.later : null;
  };
  return (
    <div class="state" data-kind="error" role="alert">
      <span class="state-title">{texts.failed}</span>
      <div class="state-text">
        <bdi>{props.problem.message}</bdi> {cure()}
      </div>
      <div class="state-actions">
        <Show when={props.problem.code === "insufficient_quota" && mayDo("billing")}>
          <a class="button" href="/console/billing/">
            {texts.addBalance}
          </a>
        </Show>
        <Show when={props.onRetry}>{(retry) => <Button onClick={() => retry()()}>{texts.retry}</Button>}</Show>
        <Show when={!ownCodes.has(props.problem.code)}>
          <a href={`/docs/errors/#${encodeURIComponent(props.problem.code)}`}>{texts.meaning}</a>
        </Show>
        <Show when={props.problem.requestId}>
          {(id) => <a href={`/console/usage/?open=${encodeURIComponent(id())}`}>{texts.showCall}</a>}
        </Show>
      </div>
    </div>
  );
}
