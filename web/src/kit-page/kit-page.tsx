import { createSignal, type JSX } from "solid-js";
import { Button } from "../kit/button.tsx";

export function KitPage(): JSX.Element {
  const [count, setCount] = createSignal(0);
  return <Button onClick={() => setCount(count() + 1)}>{count()}</Button>;
}
