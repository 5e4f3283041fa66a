/** The state of a session: its settings, the conversation, and how much of it is counted. */
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { countTokens } from "../api/usage.ts";

/** 16-bit samples, 24,000 a second: a token of input audio is 100 ms, one of output audio 50 ms. */
const textBytesPerToken = 4_800;
const bytesPerSecond = 48_000;
export const spokenBytesPerToken = 2_400;

export class Conversation {
  #session: JsonObject = {};
  #text = "";
  #heardTokens = 0;
  #bufferedBytes = 0;
  #lastSaid = "";

  get session(): JsonObject {
    return this.#session;
  }

  /** The text that the user wrote last. */
  get lastSaid(): string {
    return this.#lastSaid;
  }

  get counts(): { readonly text: number; readonly audio: number } {
    return { text: countTokens(this.#text), audio: this.#heardTokens };
  }

  update(session: unknown): void {
    this.#session = { ...this.#session, ...asObject(session) };
    const { instructions } = this.#session;
    this.#text += typeof instructions === "string" ? instructions : "";
  }

  addItem(item: unknown): void {
    const text = asArray(asObject(item)["content"])
      .map((part) => asObject(part)["text"])
      .filter((one) => typeof one === "string")
      .join(" ");
    this.#lastSaid = text;
    this.#text += text;
  }

  addAnswer(text: string): void {
    this.#text += text;
  }

  hear(base64: unknown): void {
    this.#bufferedBytes += typeof base64 === "string" ? Buffer.byteLength(base64, "base64") : 0;
  }

  /** Adds input audio to the conversation; returns how many seconds it lasted. */
  commit(): number {
    const seconds = Math.ceil(this.#bufferedBytes / bytesPerSecond);
    this.#heardTokens += Math.ceil(this.#bufferedBytes / textBytesPerToken);
    this.#bufferedBytes = 0;
    return seconds;
  }

  /** Whether a response begins by itself once the user stops speaking. */
  get hasTurnDetection(): boolean {
    return asObject(this.#session["turn_detection"])["type"] !== undefined;
  }

  get hasTranscription(): boolean {
    return this.#session["input_audio_transcription"] !== undefined;
  }
}
