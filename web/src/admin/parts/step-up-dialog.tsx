import { createSignal, type JSX, lazy, onCleanup, onMount, Suspense } from "solid-js";
import { answerStepUpsWith } from "../../api/client.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { LoadingPart } from "../../kit/states.tsx";
import { t } from "../translate.ts";

const StepUpForm = lazy(async () => ({ default: (await import("./step-up-form.tsx")).StepUpForm }));

/**
 * Asks for the login again when an action requires a fresh one, and then sends the action again. The page and its input
 * stay as they are.
 */
export function StepUpDialog(): JSX.Element {
  const [answer, setAnswer] = createSignal<((isFresh: boolean) => void) | null>(null);
  let asked: Promise<boolean> | null = null;
  // Two actions refused at the same moment wait for one login.
  const ask = (): Promise<boolean> => {
    asked ??= new Promise<boolean>((resolve) => setAnswer(() => resolve)).finally(() => {
      asked = null;
      setAnswer(null);
    });
    return asked;
  };
  onMount(() => onCleanup(answerStepUpsWith(ask)));
  const end = (isFresh: boolean): void => answer()?.(isFresh);
  return (
    <Dialog isOpen={answer() !== null} onClose={() => end(false)} title={t("Log in again")}>
      <Suspense fallback={<LoadingPart />}>
        <StepUpForm onDone={() => end(true)} onCancel={() => end(false)} />
      </Suspense>
    </Dialog>
  );
}
