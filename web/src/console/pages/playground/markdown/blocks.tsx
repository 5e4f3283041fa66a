import type { Token, Tokens } from "marked";
import { createMemo, For, Index, type JSX, Show } from "solid-js";
import { CodePart } from "./code-part.tsx";
import { Inline } from "./inline.tsx";
import styles from "./markdown.module.css";

type BlocksProps = {
  readonly tokens: readonly Token[];
  /** What the buttons that copy code are called. */
  readonly copyLabel: string;
  /** Whether the last block may get longer. */
  readonly isGrowing?: boolean | undefined;
};

/** Blocks that did not change stay as they are while the text grows. */
export function Blocks(props: BlocksProps): JSX.Element {
  return (
    <Index each={props.tokens}>
      {(token, index) => {
        const shown = createMemo(token, undefined, {
          equals: (before, after) => before.type === after.type && before.raw === after.raw,
        });
        const code = (): Tokens.Code | undefined => (shown().type === "code" ? (shown() as Tokens.Code) : undefined);
        return (
          <Show
            when={code()}
            fallback={
              <Show when={shown()} keyed>
                {(each) => <Block token={each} copyLabel={props.copyLabel} />}
              </Show>
            }
          >
            {(each) => (
              <CodePart
                code={each().text}
                language={each().lang ?? ""}
                copyLabel={props.copyLabel}
                isGrowing={props.isGrowing === true && index === props.tokens.length - 1}
              />
            )}
          </Show>
        );
      }}
    </Index>
  );
}

type BlockProps = { readonly token: Token; readonly copyLabel: string };

/** One block of Markdown that is not code. */
function Block({ token, copyLabel }: BlockProps): JSX.Element {
  switch (token.type) {
    case "heading":
      // All are on one level: a page continues after an answer, and an answer may leave levels out.
      return (
        <h3 data-depth={(token as Tokens.Heading).depth}>
          <Inline tokens={(token as Tokens.Heading).tokens} />
        </h3>
      );
    case "paragraph":
      return (
        <p>
          <Inline tokens={(token as Tokens.Paragraph).tokens} />
        </p>
      );
    case "text":
      return <Inline tokens={(token as Tokens.Text).tokens ?? [token]} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={blocksOf((token as Tokens.Blockquote).tokens)} copyLabel={copyLabel} />
        </blockquote>
      );
    case "list":
      return <List token={token as Tokens.List} copyLabel={copyLabel} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    default:
      return <p class={styles["plain"]}>{token.raw.trim()}</p>;
  }
}

function List(props: { readonly token: Tokens.List; readonly copyLabel: string }): JSX.Element {
  const items = (): JSX.Element => (
    <For each={props.token.items}>
      {(item) => (
        <li>
          <Show when={item.task}>
            <span aria-hidden="true">{item.checked === true ? "☑ " : "☐ "}</span>
          </Show>
          <Blocks tokens={blocksOf(item.tokens)} copyLabel={props.copyLabel} />
        </li>
      )}
    </For>
  );
  return (
    <Show when={props.token.ordered} fallback={<ul>{items()}</ul>}>
      <ol start={props.token.start === "" ? 1 : props.token.start}>{items()}</ol>
    </Show>
  );
}

function Table(props: { readonly token: Tokens.Table }): JSX.Element {
  return (
    <section class={styles["table"]} tabindex="0">
      <table>
        <thead>
          <tr>
            <For each={props.token.header}>
              {(cell) => (
                <th scope="col">
                  <Inline tokens={cell.tokens} />
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.token.rows}>
            {(row) => (
              <tr>
                <For each={row}>
                  {(cell) => (
                    <td>
                      <Inline tokens={cell.tokens} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

const blocksOf = (tokens: readonly Token[]): Token[] =>
  tokens.filter(({ type }) => type !== "space" && type !== "def" && type !== "checkbox");
