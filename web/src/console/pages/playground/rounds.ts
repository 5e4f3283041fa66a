import { createStore, produce } from "solid-js/store";
import { newIdempotencyKey } from "../../../api/client.ts";
import type { Attachment, Place, Round, Step } from "./conversation.ts";

/** A step by the id of its round: a round that was dropped meanwhile gets nothing more. */
export type StepAt = { readonly roundId: string; readonly placeId: string; readonly step: number };

/** The rounds of a conversation; readers see each change of a text without reading the rest again. */
export type Rounds = {
  readonly all: () => readonly Round[];
  readonly add: (text: string, attachments: readonly Attachment[]) => void;
  /** Changes the steps of a place in the last round, and returns where the last one of them is. */
  readonly changeSteps: (place: Place, change: (steps: readonly Step[]) => readonly Step[]) => StepAt;
  readonly changeStep: (at: StepAt, change: (step: Step) => Partial<Step>) => void;
  readonly replace: (rounds: readonly Round[]) => void;
};

/** The store changes what is in it in place. */
type State = {
  rounds: (Omit<Round, "answers"> & { readonly answers: Record<string, { model: string; steps: Step[] }> })[];
};

export function createRounds(): Rounds {
  const [state, setState] = createStore<State>({ rounds: [] });
  return {
    all: () => state.rounds,
    add: (text, attachments) => {
      setState(
        produce(({ rounds }) => {
          rounds.push({ id: newIdempotencyKey(), text, attachments, answers: {} });
        }),
      );
    },
    changeSteps: ({ id, model }, change) => {
      const last = state.rounds.length - 1;
      const steps = change(state.rounds[last]?.answers[id]?.steps ?? []);
      setState(
        produce(({ rounds }) => {
          const round = rounds[last];
          if (round !== undefined) {
            round.answers[id] = { model, steps: [...steps] };
          }
        }),
      );
      return { roundId: state.rounds[last]?.id ?? "", placeId: id, step: steps.length - 1 };
    },
    changeStep: ({ roundId, placeId, step }, change) => {
      setState(
        produce(({ rounds }) => {
          const known = rounds.find(({ id }) => id === roundId)?.answers[placeId]?.steps[step];
          if (known !== undefined) {
            Object.assign(known, change(known));
          }
        }),
      );
    },
    replace: (rounds) => setState({ rounds: [...rounds] as State["rounds"] }),
  };
}
