import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { KeptThread, ThreadListener, ThreadMessage } from "@sluice/control-plane/platform/kept-thread.ts";
import { PayloadIntake, type PayloadIntakeDeps } from "@sluice/control-plane/trace/payload-intake.ts";
import type { PayloadNews, PayloadOrder } from "@sluice/control-plane/trace/payload-thread.ts";
import { openPayloadWork } from "@sluice/control-plane/trace/payload-work.ts";
import { silentLog } from "./trace-fixtures.ts";

type PayloadThread = Pick<KeptThread, "listen" | "post">;

/** For services that store no payloads. */
export const noThread: PayloadThread = { listen: () => undefined, post: () => undefined };

/** The second thread's part of payloads, run on the thread of the test. */
export class PayloadPair implements PayloadThread {
  readonly #open: (report: (news: PayloadNews) => void) => (order: PayloadOrder) => void;
  #listener: ThreadListener<PayloadNews> | null = null;
  #take: (order: PayloadOrder) => void = () => undefined;

  constructor(open: (report: (news: PayloadNews) => void) => (order: PayloadOrder) => void) {
    this.#open = open;
  }

  /** Writes to a database as the program does. */
  static on(db: Database): PayloadPair {
    return new PayloadPair((report) => openPayloadWork({ db, clock: systemClock, log: silentLog, report }));
  }

  /** Lets the test play the database. */
  static with(deps: Omit<PayloadIntakeDeps, "report">): PayloadPair {
    return new PayloadPair((report) => {
      let intake: PayloadIntake | null = null;
      return (order) => {
        if (order.kind === "open") {
          intake = new PayloadIntake({ ...deps, report }, order);
        } else {
          intake?.take(order);
        }
      };
    });
  }

  listen<Message extends ThreadMessage>(_topic: string, listener: ThreadListener<Message>): void {
    this.#listener = listener as unknown as ThreadListener<PayloadNews>;
    this.#begin();
  }

  post(message: ThreadMessage): void {
    this.#take(message as PayloadOrder);
  }

  /** The thread is gone, and another one is there. */
  replace(): void {
    this.#take = () => undefined;
    this.#listener?.onLost();
    this.#begin();
  }

  #begin(): void {
    const take = this.#open((news) => {
      if (take === this.#take) {
        this.#listener?.onMessage(news);
      }
    });
    this.#take = take;
    this.#listener?.onStart();
  }
}
