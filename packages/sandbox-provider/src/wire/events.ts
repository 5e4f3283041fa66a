/** Turns the events of a stream into bytes, and corrupts them as the behaviour says. */
import type { Behaviour } from "../script/behaviour.ts";
import { type SseEvent, type StreamForm, utf8 } from "./plan.ts";

export const doneEvent: SseEvent = { data: "[DONE]" };

export const plainForm: StreamForm = {
  nameOf: () => null,
  isEnd: (event) => event.data === doneEvent.data,
  end: doneEvent,
  errorEvent: (message) => ({
    data: JSON.stringify({ error: { message, type: "server_error", param: null, code: null } }),
  }),
};

const lineEnds = { lf: "\n", crlf: "\r\n", cr: "\r" } as const;

/** The events as this behaviour wants them, still as text. */
export function shapeEvents(events: Iterable<SseEvent>, behaviour: Behaviour, form: StreamForm): Iterable<SseEvent> {
  let shaped = behaviour.events === undefined ? events : wordForWord(behaviour.events, form);
  if (behaviour.noDone === true) {
    shaped = withoutEnd(shaped, form);
  }
  if (behaviour.malformedChunk !== undefined) {
    shaped = breakOff(shaped, behaviour.malformedChunk);
  }
  return behaviour.errorEventAfter === undefined
    ? shaped
    : endWith(shaped, behaviour.errorEventAfter, form.errorEvent("The sandbox broke off this stream on demand."));
}

/** One event as bytes, preceded by a comment line if one is due. */
export function encodeEvent(event: SseEvent, index: number, behaviour: Behaviour): Uint8Array {
  const end = lineEnds[behaviour.lineEnd ?? "lf"];
  const hasComment = behaviour.commentEvery !== undefined && index % behaviour.commentEvery === 0;
  const comment = hasComment ? `: sandbox keep-alive${end}${end}` : "";
  const name = event.name === undefined ? "" : `event: ${event.name}${end}`;
  return utf8(`${comment}${name}data: ${event.data}${end}${end}`);
}

function* wordForWord(events: readonly (string | Record<string, unknown>)[], form: StreamForm): Iterable<SseEvent> {
  for (const event of events) {
    const name = typeof event === "string" ? null : form.nameOf(event);
    const data = typeof event === "string" ? event : JSON.stringify(event);
    yield name === null ? { data } : { name, data };
  }
  if (form.end !== null) {
    yield form.end;
  }
}

function* withoutEnd(events: Iterable<SseEvent>, form: StreamForm): Iterable<SseEvent> {
  for (const event of events) {
    if (!form.isEnd(event)) {
      yield event;
    }
  }
}

function* breakOff(events: Iterable<SseEvent>, brokenIndex: number): Iterable<SseEvent> {
  let index = 0;
  for (const event of events) {
    yield index === brokenIndex ? { ...event, data: event.data.slice(0, Math.ceil(event.data.length / 2)) } : event;
    index += 1;
  }
}

/** The first events, and then one that breaks the stream off. */
export function* endWith(events: Iterable<SseEvent>, after: number, last: SseEvent): Iterable<SseEvent> {
  let left = after;
  for (const event of events) {
    if (left === 0) {
      break;
    }
    left -= 1;
    yield event;
  }
  yield last;
}
