/** The sending side of a session: events in sequence, and the faults that the behaviour injects at their positions. */
import type { Outlet } from "../http/outlet.ts";
import type { RequestLog } from "../record/request-log.ts";
import type { RequestRecord } from "../record/request-record.ts";
import type { Behaviour } from "../script/behaviour.ts";
import { encodeClose, encodeFrame, opcodes } from "./frames.ts";

const lingerMsDefault = 10;

/** How a session ended, from the sandbox's view. */
export type SessionOutcome = "completed" | "cut" | "cancelled";

export class EventSender {
  readonly #outlet: Outlet;
  readonly #log: RequestLog;
  readonly #record: RequestRecord;
  readonly #behaviour: Behaviour;
  readonly #bytesBefore: number;
  readonly #over = Promise.withResolvers<SessionOutcome>();
  #queue: Promise<void> = Promise.resolve();
  #sent = 0;
  #isOver = false;
  #eventIndex = 0;

  constructor(outlet: Outlet, log: RequestLog, record: RequestRecord, behaviour: Behaviour) {
    this.#outlet = outlet;
    this.#log = log;
    this.#record = record;
    this.#behaviour = behaviour;
    this.#bytesBefore = outlet.bytesWritten;
  }

  /** Resolves with how the session ended. */
  get outcome(): Promise<SessionOutcome> {
    return this.#over.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends an event, with an id unless it has one, after everything sent before. */
  send(event: Readonly<Record<string, unknown>>): Promise<void> {
    this.#eventIndex += 1;
    return this.sendText(
      JSON.stringify({ event_id: `event_sandbox_${this.#record.index}_${this.#eventIndex}`, ...event }),
    );
  }

  sendText(text: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#outlet.write(encodeFrame(opcodes.text, Buffer.from(text)));
      this.#sent += 1;
      this.#log.noteWritten(this.#record, this.#outlet.bytesWritten - this.#bytesBefore, 1);
      await this.applyFaults();
    });
  }

  sendControl(frame: Buffer): Promise<void> {
    return this.#inTurn(() => this.#outlet.write(frame));
  }

  /** Applies the behaviour's faults after this many events; called once before the first. */
  async applyFaults(): Promise<void> {
    const { cut, silence, closeWith } = this.#behaviour;
    const isHere = (place: object | undefined) =>
      place !== undefined && "afterChunks" in place && place.afterChunks === this.#sent;
    if (isHere(silence)) {
      await this.#outlet.until((wake) => this.#log.noteHeld(this.#record, wake));
    }
    if (closeWith !== undefined && isHere(closeWith)) {
      await this.#outlet.write(encodeClose(closeWith.code, closeWith.reason ?? ""));
      this.end("completed");
    }
    if (cut !== undefined && isHere(cut)) {
      await this.#outlet.sleepUntil(performance.now() + (cut.with === "rst" ? (cut.lingerMs ?? lingerMsDefault) : 0));
      if (cut.with === "rst") {
        this.#outlet.reset();
      }
      this.end("cut");
    }
  }

  /** Waits as long as the behaviour says between two pieces. */
  async pause(ms: number | undefined): Promise<void> {
    if (ms !== undefined && ms > 0) {
      await Bun.sleep(ms);
    }
  }

  end(outcome: SessionOutcome): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#over.resolve(outcome);
    }
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const next = this.#queue.then(() => (this.#isOver || this.#outlet.isClosed ? undefined : run()));
    this.#queue = next;
    return next;
  }
}
