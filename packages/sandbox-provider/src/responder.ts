/** Responds to one request: finds its behaviour, composes the response, sends it, and keeps the record. */
import type { Account } from "./api/account.ts";
import { findDialect } from "./api/find-dialect.ts";
import { type Access, answerRequest } from "./api/routes.ts";
import type { Exchange } from "./http/connection.ts";
import { transmit } from "./http/transmit.ts";
import { Session } from "./realtime/session.ts";
import type { RequestLog } from "./record/request-log.ts";
import type { ConnectionFacts, RequestRecord } from "./record/request-record.ts";
import { ReplayCache } from "./replay-cache.ts";
import type { Behaviour } from "./script/behaviour.ts";
import { IncomingRequest } from "./script/incoming-request.ts";
import { readCommands } from "./script/message-commands.ts";
import type { Rules } from "./script/rules.ts";
import { type ComposeInput, composePlan } from "./wire/compose.ts";
import type { Answer, Plan } from "./wire/plan.ts";

export type ResponderOptions = {
  readonly rules: Rules;
  readonly log: RequestLog;
  readonly defaults: Behaviour;
  readonly access: Access;
  readonly account: Account;
  readonly createdAtSeconds: number | null;
  readonly hasMessageCommands: boolean;
  /** Handles requests that control the sandbox itself; null for all others. */
  readonly answerControl: (request: IncomingRequest) => Promise<Answer> | null;
};

/** The connection is a websocket from now on. */
const switchedStatus = 101;

type Chosen = {
  readonly behaviour: Behaviour;
  /** The rule's own object, by which a replayed response is found again. */
  readonly source: Behaviour;
};

export class Responder {
  readonly #options: ResponderOptions;
  readonly #replays = new ReplayCache();

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Resolves when the response was sent or given up, with whether the connection may continue. */
  async answer(exchange: Exchange, from: ConnectionFacts): Promise<boolean> {
    const request = new IncomingRequest(exchange.head, exchange.body);
    const control = this.#options.answerControl(request);
    if (control !== null) {
      const plan = composePlan({ answer: await control, behaviour: {}, ...connectionFormOf(exchange) });
      await transmit(plan, exchange.outlet, { onWritten: ignore, onHeld: ignore });
      return plan.ending.kind === "keep-alive";
    }
    const record = this.#options.log.open(request, from);
    try {
      return await this.#send(record, exchange);
    } finally {
      // This has an effect only when composing threw: the record must not stay open forever.
      this.#options.log.close(record, "cut");
    }
  }

  async #send(record: RequestRecord, exchange: Exchange): Promise<boolean> {
    const { log } = this.#options;
    const { outlet } = exchange;
    const chosen = this.#choose(record.request);
    const plan = await this.#planFor(record, exchange, chosen);
    record.status = plan.status;
    const bytesBefore = outlet.bytesWritten;
    const outcome = await transmit(plan, outlet, {
      onWritten: (chunks) => log.noteWritten(record, outlet.bytesWritten - bytesBefore, chunks),
      onHeld: (release) => log.noteHeld(record, release),
    });
    record.bytesWritten = outlet.bytesWritten - bytesBefore;
    if (plan.status === switchedStatus && outcome === "completed") {
      log.close(record, await new Session(exchange, log, record, chosen.behaviour).run());
      outlet.finish(false);
      return false;
    }
    log.close(record, outcome);
    return plan.ending.kind === "keep-alive";
  }

  async #planFor(record: RequestRecord, exchange: Exchange, { behaviour, source }: Chosen): Promise<Plan> {
    const compose = async (): Promise<Plan> => {
      const { access, account } = this.#options;
      const createdAtSeconds = this.#options.createdAtSeconds ?? Math.floor(record.receivedAtMs / 1000);
      const call = { request: record.request, behaviour, index: record.index, createdAtSeconds, account };
      const answer = await answerRequest(call, access);
      // Positions in a session count its events, and the response that begins the session contains none.
      const ofHead =
        answer.status === switchedStatus ? { ...behaviour, cut: undefined, silence: undefined } : behaviour;
      return composePlan({ answer, behaviour: ofHead, ...connectionFormOf(exchange) });
    };
    const isReplayed = behaviour.isReplayed === true && behaviour.isEndless !== true;
    return isReplayed ? await this.#replays.plan(source, record.request, compose) : await compose();
  }

  /** The script takes precedence over the user's message; the defaults complete both. */
  #choose(request: IncomingRequest): Chosen {
    const { defaults, rules, hasMessageCommands } = this.#options;
    const scripted = rules.take(request);
    if (scripted !== null) {
      return { behaviour: { ...defaults, ...scripted }, source: scripted };
    }
    const asked = hasMessageCommands ? readCommands(findDialect(request).spoken(request) ?? "") : {};
    return { behaviour: { ...defaults, ...asked }, source: defaults };
  }
}

function connectionFormOf({ head, body }: Exchange): Omit<ComposeInput, "answer" | "behaviour"> {
  return {
    isKeepAlive: head.isKeepAlive && body !== null,
    canChunk: head.version === "1.1",
    isHeadOnly: head.method === "HEAD",
  };
}

function ignore(): void {
  // A control response has no record where anything could be noted.
}
