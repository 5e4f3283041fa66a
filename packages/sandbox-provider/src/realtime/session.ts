/** A realtime session: responds to the client's events with text or audio, and counts as the real provider does. */
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { fillerText, type TextSource, wordsOf } from "../api/text-source.ts";
import { countTokens } from "../api/usage.ts";
import type { Exchange } from "../http/connection.ts";
import type { RequestLog } from "../record/request-log.ts";
import type { RequestRecord } from "../record/request-record.ts";
import type { Behaviour } from "../script/behaviour.ts";
import { Conversation, spokenBytesPerToken } from "./conversation.ts";
import { EventSender, type SessionOutcome } from "./event-sender.ts";
import { encodeClose, encodeFrame, type Frame, FrameReader, FrameViolation, opcodes } from "./frames.ts";
import { modelOf } from "./handshake.ts";

type Response = { readonly id: string; readonly isInConversation: boolean; isCancelled: boolean };

const notice = "This is the Sluice sandbox provider, not a real model.";
/** 50 ms of quiet audio. */
const spokenPiece = Buffer.alloc(spokenBytesPerToken).toString("base64");

export class Session {
  readonly #record: RequestRecord;
  readonly #behaviour: Behaviour;
  readonly #sender: EventSender;
  readonly #exchange: Exchange;
  readonly #reader = new FrameReader();
  readonly #conversation = new Conversation();
  readonly #running = new Set<Response>();
  #responses = 0;

  constructor(exchange: Exchange, log: RequestLog, record: RequestRecord, behaviour: Behaviour) {
    this.#exchange = exchange;
    this.#record = record;
    this.#behaviour = behaviour;
    this.#sender = new EventSender(exchange.outlet, log, record, behaviour);
  }

  /** Resolves when either side has ended the session. */
  async run(): Promise<SessionOutcome> {
    this.#exchange.takeOver({ onData: (bytes) => this.#onData(bytes), onClose: () => this.#sender.end("cancelled") });
    await this.#sender.applyFaults();
    const session = { id: `sess_sandbox_${this.#record.index}`, object: "realtime.session", model: this.#model };
    void this.#sender.send({ type: "session.created", session });
    return await this.#sender.outcome;
  }

  get #model(): string {
    return modelOf(this.#record.target);
  }

  #onData(bytes: Buffer): void {
    try {
      for (const frame of this.#reader.push(bytes)) {
        this.#onFrame(frame);
      }
    } catch (error) {
      if (!(error instanceof FrameViolation)) {
        throw error;
      }
      void this.#sender.sendControl(encodeClose(1002, error.message)).then(() => this.#sender.end("completed"));
    }
  }

  #onFrame({ opcode, payload }: Frame): void {
    if (opcode === opcodes.ping) {
      void this.#sender.sendControl(encodeFrame(opcodes.pong, payload));
    } else if (opcode === opcodes.close) {
      this.#record.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      void this.#exchange.outlet.write(encodeFrame(opcodes.close, payload.subarray(0, 2)));
      this.#sender.end("cancelled");
    } else if (opcode === opcodes.text) {
      const text = payload.toString("utf8");
      this.#record.messages.push(text);
      this.#onEvent(text);
    } else if (opcode === opcodes.binary) {
      this.#record.messages.push(payload);
      this.#refuse("Binary messages are not events.", null);
    }
  }

  #onEvent(text: string): void {
    const event = parse(text);
    switch (event["type"]) {
      case "session.update":
        this.#conversation.update(event["session"]);
        void this.#sender.send({ type: "session.updated", session: this.#conversation.session });
        break;
      case "conversation.item.create":
        this.#conversation.addItem(event["item"]);
        void this.#sender.send({ type: "conversation.item.added", item: event["item"] });
        break;
      case "input_audio_buffer.append":
        this.#conversation.hear(event["audio"]);
        break;
      case "input_audio_buffer.commit":
        this.#commit();
        break;
      case "response.create":
        this.#begin(asObject(event["response"]), event["event_id"]);
        break;
      case "response.cancel":
        for (const response of this.#running) {
          response.isCancelled = true;
        }
        break;
      default:
        this.#refuse(`Invalid value: '${String(event["type"])}'.`, event["event_id"] ?? null);
    }
  }

  #commit(): void {
    const seconds = this.#conversation.commit();
    void this.#sender.send({ type: "input_audio_buffer.committed", item_id: "item_sandbox" });
    if (this.#conversation.hasTranscription) {
      const type = "conversation.item.input_audio_transcription.completed";
      const usage = { type: "duration", seconds };
      void this.#sender.send({ type, item_id: "item_sandbox", content_index: 0, transcript: "(sound)", usage });
    }
    if (this.#conversation.hasTurnDetection) {
      this.#begin({}, null);
    }
  }

  #begin(wanted: JsonObject, eventId: unknown): void {
    if (this.#behaviour.realtimeEvents !== undefined) {
      for (const event of this.#behaviour.realtimeEvents) {
        void this.#sender.send(event);
      }
      return;
    }
    const isInConversation = wanted["conversation"] !== "none";
    if (isInConversation && [...this.#running].some((one) => one.isInConversation)) {
      this.#refuse("Conversation already has an active response.", eventId, "conversation_already_has_active_response");
      return;
    }
    this.#responses += 1;
    const id = `resp_sandbox_${this.#record.index}_${this.#responses}`;
    const response: Response = { id, isInConversation, isCancelled: false };
    this.#running.add(response);
    void this.#respond(response, wanted);
  }

  async #respond(response: Response, wanted: JsonObject): Promise<void> {
    const { firstTokenDelayMs, chunkDelayMs } = this.#behaviour;
    const isSpoken = modalitiesOf(wanted, this.#conversation.session).includes("audio");
    await this.#sender.send({ type: "response.created", response: this.#describe(response, "in_progress") });
    await this.#sender.pause(firstTokenDelayMs);
    let text = "";
    let spokenTokens = 0;
    for (const piece of this.#text().pieces()) {
      if (response.isCancelled || this.#sender.isOver) {
        break;
      }
      text += piece;
      spokenTokens += isSpoken ? 1 : 0;
      await this.#sendPiece(response, piece, isSpoken);
      await this.#sender.pause(chunkDelayMs);
    }
    const status = response.isCancelled ? "cancelled" : "completed";
    const usage = this.#behaviour.omitUsage === true ? null : this.#usage(countTokens(text), spokenTokens);
    this.#running.delete(response);
    this.#conversation.addAnswer(response.isInConversation ? text : "");
    await this.#sender.send({ type: "response.done", response: { ...this.#describe(response, status), usage } });
  }

  async #sendPiece({ id }: Response, piece: string, isSpoken: boolean): Promise<void> {
    const place = { response_id: id, item_id: "item_sandbox", output_index: 0, content_index: 0 };
    if (isSpoken) {
      await this.#sender.send({ type: "response.output_audio_transcript.delta", ...place, delta: piece });
      await this.#sender.send({ type: "response.output_audio.delta", ...place, delta: spokenPiece });
    } else {
      await this.#sender.send({ type: "response.output_text.delta", ...place, delta: piece });
    }
  }

  #text(): TextSource {
    const { isEndless, chunks, chunkBytes, text } = this.#behaviour;
    if (isEndless === true || chunks !== undefined) {
      return fillerText(isEndless === true ? Number.POSITIVE_INFINITY : (chunks ?? 0), chunkBytes);
    }
    return wordsOf(text ?? `${notice} You said: ${this.#conversation.lastSaid}`);
  }

  #usage(textTokens: number, spokenTokens: number): JsonObject {
    const { text, audio } = this.#conversation.counts;
    return {
      total_tokens: text + audio + textTokens + spokenTokens,
      input_tokens: text + audio,
      output_tokens: textTokens + spokenTokens,
      input_token_details: { text_tokens: text, audio_tokens: audio, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: textTokens, audio_tokens: spokenTokens },
      ...this.#behaviour.usage,
    };
  }

  #describe({ id, isInConversation }: Response, status: string): JsonObject {
    const conversation = isInConversation ? `conv_sandbox_${this.#record.index}` : null;
    return { id, object: "realtime.response", status, conversation_id: conversation, output: [], usage: null };
  }

  #refuse(message: string, eventId: unknown, code: string | null = null): void {
    const error = { type: "invalid_request_error", code, message, param: null, event_id: eventId ?? null };
    void this.#sender.send({ type: "error", error });
  }
}

function modalitiesOf(wanted: JsonObject, session: JsonObject): readonly unknown[] {
  return asArray(wanted["output_modalities"] ?? session["output_modalities"] ?? ["text"]);
}

function parse(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}
