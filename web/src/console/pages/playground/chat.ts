import { type Accessor, createSignal, onCleanup } from "solid-js";
import { ApiError } from "../../../api/client.ts";
import { type Settings, toBody } from "./call-settings.ts";
import {
  type Attachment,
  awaitsResults,
  emptyStep,
  type Place,
  type Problem,
  type Round,
  type Step,
  toMessages,
} from "./conversation.ts";
import type { OwnKeys } from "./own-key.ts";
import { createRounds, type StepAt } from "./rounds.ts";
import { type ChatListener, ChatRefusal, streamChat } from "./stream-chat.ts";

export type Chat = {
  readonly rounds: readonly Round[];
  readonly isRunning: Accessor<boolean>;
  readonly runs: (placeId: string) => boolean;
  /** Whether a model waits for the results of its tools, which come before the next message. */
  readonly isAwaiting: Accessor<boolean>;
  /** The body of the request that a place would send for this message, without pictures and files. */
  readonly bodyOf: (place: Place, message: string) => Record<string, unknown>;
  readonly send: (text: string, attachments: readonly Attachment[]) => void;
  /** Goes on from a changed message; what came after it is dropped. */
  readonly edit: (round: number, text: string) => void;
  /** Asks for the last answer of a place again: all of it, or its last step alone. */
  readonly again: (placeId: string, what: "answer" | "step") => void;
  /** Goes on with what the tools returned, in the order of their calls. */
  readonly giveResults: (placeId: string, results: readonly string[]) => void;
  /** Counts what is worth keeping: messages, complete answers, and what becomes known of these later. */
  readonly revision: Accessor<number>;
  readonly note: (at: StepAt, change: Partial<Step>) => void;
  readonly stop: () => void;
  readonly load: (rounds: readonly Round[]) => void;
};

type ChatParts = {
  readonly places: Accessor<readonly Place[]>;
  /** The settings of a call to this model. */
  readonly settings: (model: string) => Settings;
  readonly keys: OwnKeys;
};

/** A conversation with one model or several, with the settings as they are at each message. */
export function createChat({ places, settings, keys }: ChatParts): Chat {
  const rounds = createRounds();
  const [revision, setRevision] = createSignal(0);
  const [running, setRunning] = createSignal<ReadonlyMap<string, AbortController>>(new Map());
  const stop = (): void => {
    for (const controller of running().values()) {
      controller.abort();
    }
  };
  onCleanup(stop);
  const note = (at: StepAt, change: Partial<Step>): void => rounds.changeStep(at, () => change);
  const bodyFor = ({ id, model }: Place, asked: readonly Round[]): Record<string, unknown> => {
    const chosen = settings(model);
    return toBody(model, toMessages(asked, id, chosen.system), chosen);
  };
  const run = async (place: Place): Promise<void> => {
    const body = bodyFor(place, rounds.all());
    const at = rounds.changeSteps(place, (steps) => [...steps, { ...emptyStep }]);
    const controller = new AbortController();
    setRunning((all) => new Map(all).set(place.id, controller));
    try {
      await callWithOwnKey(keys, body, { signal: controller.signal, listener: listenerFor(at) });
    } catch (error) {
      note(at, controller.signal.aborted ? { isStopped: true } : { problem: toProblem(error) });
    } finally {
      setRunning((all) => new Map([...all].filter(([, each]) => each !== controller)));
      setRevision((count) => count + 1);
    }
  };
  const listenerFor = (at: StepAt): ChatListener => ({
    onText: (piece) => rounds.changeStep(at, ({ text }) => ({ text: text + piece })),
    onReasoning: (piece) => rounds.changeStep(at, ({ reasoning }) => ({ reasoning: reasoning + piece })),
    onToolCalls: (toolCalls) => note(at, { toolCalls }),
    onMeasures: (measures) => note(at, { measures }),
  });
  const send = (text: string, attachments: readonly Attachment[]): void => {
    rounds.add(text, attachments);
    for (const place of places()) {
      void run(place);
    }
    setRevision((count) => count + 1);
  };
  const placeOf = (id: string): Place | undefined => places().find((place) => place.id === id);
  const goOn = (placeId: string, change: (steps: readonly Step[]) => readonly Step[]): void => {
    const place = placeOf(placeId);
    if (place !== undefined && !running().has(placeId)) {
      rounds.changeSteps(place, change);
      void run(place);
    }
  };
  return {
    get rounds() {
      return rounds.all();
    },
    isRunning: () => running().size > 0,
    runs: (placeId) => running().has(placeId),
    isAwaiting: () => places().some(({ id }) => !running().has(id) && awaitsResults(rounds.all().at(-1)?.answers[id])),
    bodyOf: (place, text) => {
      const asked = [...rounds.all(), { id: "", text, answers: {} }].map((round) => ({ ...round, attachments: [] }));
      return bodyFor(place, asked);
    },
    send,
    edit: (round, text) => {
      const attachments = rounds.all()[round]?.attachments ?? [];
      stop();
      rounds.replace(rounds.all().slice(0, round));
      send(text, attachments);
    },
    again: (placeId, what) => goOn(placeId, (steps) => (what === "answer" ? [] : steps.slice(0, -1))),
    giveResults: (placeId, results) =>
      goOn(placeId, (steps) => steps.map((step, index) => (index === steps.length - 1 ? { ...step, results } : step))),
    revision,
    note: (at, change) => {
      note(at, change);
      setRevision((count) => count + 1);
    },
    stop,
    load: (kept) => {
      stop();
      rounds.replace(structuredClone(kept));
    },
  };
}

/** A key that was revoked or has ended meanwhile is replaced once; nothing was charged then. */
async function callWithOwnKey(
  keys: OwnKeys,
  body: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal; readonly listener: ChatListener },
): Promise<void> {
  const key = await keys.use();
  try {
    await streamChat(key.secret, body, options);
  } catch (error) {
    if (!(error instanceof ChatRefusal) || !isOfKey(error)) {
      throw error;
    }
    keys.forget(key, error.code === "invalid_api_key" ? "ended" : "spent");
    if (error.code !== "invalid_api_key") {
      throw error;
    }
    await streamChat((await keys.use()).secret, body, options);
  }
}

/** Whether the key is at its end, and another one would help. */
function isOfKey({ code, original }: ChatRefusal): boolean {
  return code === "invalid_api_key" || (code === "insufficient_quota" && /this API key/.test(original));
}

function toProblem(error: unknown): Problem {
  if (error instanceof ChatRefusal) {
    const code = error.code === "insufficient_quota" && isOfKey(error) ? "key_limit" : error.code;
    return { code, message: error.message, requestId: error.requestId };
  }
  if (error instanceof ApiError) {
    return { code: error.code, message: error.message, requestId: error.requestId };
  }
  return { code: "unreadable", message: error instanceof Error ? error.message : String(error), requestId: null };
}
