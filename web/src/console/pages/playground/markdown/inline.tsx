import type { Token, Tokens } from "marked";
import { For, type JSX } from "solid-js";
import { decodeEntities, safeAddress } from "./tokens.ts";

/** What is in a line of Markdown. */
export function Inline(props: { readonly tokens: readonly Token[] }): JSX.Element {
  return <For each={props.tokens}>{(token) => <Piece token={token} />}</For>;
}

function Piece({ token }: { readonly token: Token }): JSX.Element {
  const inner = (): JSX.Element => <Inline tokens={("tokens" in token ? token.tokens : undefined) ?? []} />;
  switch (token.type) {
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link address={(token as Tokens.Link).href}>{inner()}</Link>;
    case "image":
      return (
        <Link address={(token as Tokens.Image).href}>
          {(token as Tokens.Image).text || (token as Tokens.Image).href}
        </Link>
      );
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return <Text token={token as Tokens.Text} />;
    default:
      return token.raw;
  }
}

function Text({ token }: { readonly token: Tokens.Text }): JSX.Element {
  return token.tokens === undefined ? decodeEntities(token.text) : <Inline tokens={token.tokens} />;
}

function Link(props: { readonly address: string; readonly children: JSX.Element }): JSX.Element {
  const address = safeAddress(props.address);
  return address === null ? (
    props.children
  ) : (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {props.children}
    </a>
  );
}
