import { type Accessor, createSignal, onCleanup } from "solid-js";
import { showToast } from "../../../kit/toast.tsx";
import { playgroundArea } from "./messages/messages.ts";
import { type ChatRequest, type Measures, type Message, streamChat } from "./stream-chat.ts";
import type { TurnParts } from "./turn.tsx";

/** The settings beside the messages. */
export type Settings = {
  readonly apiKey: string;
  readonly model: string;
  readonly system: string;
  readonly maxTokens: string;
  readonly temperature: string;
};

export type Chat = {
  readonly turns: Accessor<readonly TurnParts[]>;
  readonly problem: Accessor<Error | null>;
  readonly isRunning: Accessor<boolean>;
  /** The message that is being written. */
  readonly prompt: Accessor<string>;
  readonly setPrompt: (text: string) => void;
  /** The request with this text as the last message. */
  readonly request: (message: string) => ChatRequest;
  readonly send: () => Promise<void>;
  readonly stop: () => void;
  readonly clear: () => void;
};

/** A conversation with a model, with the settings as they are at each message. */
export function createChat(settings: Accessor<Settings>): Chat {
  const texts = playgroundArea.texts();
  const [prompt, setPrompt] = createSignal("");
  const [turns, setTurns] = createSignal<readonly TurnParts[]>([]);
  const [problem, setProblem] = createSignal<Error | null>(null);
  const [running, setRunning] = createSignal<AbortController | null>(null);
  onCleanup(() => running()?.abort());
  const request = (message: string): ChatRequest => toRequest(settings(), turns(), message);
  const grow = (text: string, measures: Measures | null): void => {
    setTurns((all) => {
      const last = all.at(-1);
      return last === undefined
        ? all
        : [...all.slice(0, -1), { message: { ...last.message, content: last.message.content + text }, measures }];
    });
  };
  const takeBackEmpty = (): void => {
    // An empty response is not part of the next request; the prompt returns to the input field.
    if (turns().at(-1)?.message.content === "") {
      setPrompt(turns().at(-2)?.message.content ?? "");
      setTurns((all) => all.slice(0, -2));
    }
  };
  const send = async (): Promise<void> => {
    const sent = request(prompt());
    const controller = new AbortController();
    setRunning(controller);
    setProblem(null);
    setTurns((all) => [...all, turnOf("user", prompt()), turnOf("assistant", "")]);
    setPrompt("");
    try {
      const onText = (text: string): void => grow(text, null);
      grow("", await streamChat(settings().apiKey.trim(), sent, { signal: controller.signal, onText }));
    } catch (error) {
      if (controller.signal.aborted) {
        showToast(texts.stopped, "info");
      } else {
        setProblem(error instanceof Error ? error : new Error(String(error)));
      }
      takeBackEmpty();
    } finally {
      setRunning(null);
    }
  };
  return {
    turns,
    problem,
    isRunning: () => running() !== null,
    prompt,
    setPrompt,
    request,
    send,
    stop: () => running()?.abort(),
    clear: () => setTurns([]),
  };
}

function turnOf(role: Message["role"], content: string): TurnParts {
  return { message: { role, content }, measures: null };
}

function toRequest(settings: Settings, turns: readonly TurnParts[], message: string): ChatRequest {
  const { model, system, maxTokens, temperature } = settings;
  const instructions: readonly Message[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return {
    model,
    messages: [...instructions, ...turns.map((turn) => turn.message), { role: "user", content: message }],
    maxTokens: toNumber(maxTokens),
    temperature: toNumber(temperature),
  };
}

function toNumber(text: string): number | null {
  return text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);
}
