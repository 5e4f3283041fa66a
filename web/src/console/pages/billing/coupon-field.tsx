import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/field.tsx";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";

/** The code of a coupon; it counts once it is applied, and can be removed again. */
export function CouponField(props: {
  readonly applied: string | null;
  readonly onApply: (code: string | null) => void;
}): JSX.Element {
  const texts = billingArea.texts();
  const [code, setCode] = createSignal("");
  const apply = (): void => {
    if (code().trim() !== "") {
      props.onApply(code().trim().toUpperCase());
    }
  };
  return (
    <div class={styles["coupon"]}>
      <TextField
        label={texts.coupon}
        optional={texts.optional}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        maxlength={32}
        dir="ltr"
        value={code()}
        onInput={(event) => setCode(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            apply();
          }
        }}
      />
      <Show
        when={props.applied !== null && props.applied === code().trim().toUpperCase()}
        fallback={
          <Button disabled={code().trim() === ""} onClick={apply}>
            {texts.applyCoupon}
          </Button>
        }
      >
        <Button
          onClick={() => {
            setCode("");
            props.onApply(null);
          }}
        >
          {texts.removeCoupon}
        </Button>
      </Show>
    </div>
  );
}
