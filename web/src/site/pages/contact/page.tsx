import type { JSX } from "solid-js";
import type { PageContext, SitePage } from "../../model.ts";
import { contactTexts } from "./messages/messages.ts";

type InContext = { readonly context: PageContext };

/** `/contact/`: a company asks for an offer. The form is submitted normally, without JavaScript. */
export const contactPage: SitePage = {
  path: "/contact/",
  title: (locale) => contactTexts[locale].title,
  description: (locale) => contactTexts[locale].description,
  isIndexed: true,
  islands: [],
  content: (context) => <Contact context={context} />,
};

/** Shown after the form was sent. */
export const contactSentPage: SitePage = {
  path: "/contact/sent/",
  title: (locale) => contactTexts[locale].sent.title,
  description: (locale) => contactTexts[locale].sent.text,
  isIndexed: false,
  islands: [],
  content: (context) => <Sent context={context} />,
};

function Contact(props: InContext): JSX.Element {
  const { locale } = props.context;
  const texts = contactTexts[locale];
  return (
    <>
      <h1>{texts.heading}</h1>
      <p class="lead">{texts.lead}</p>
      <form class="contact-form" method="post" action="/contact/send/">
        <input type="hidden" name="lang" value={locale} />
        <LineField name="company" label={texts.company} autocomplete="organization" lengthMax={200} />
        <LineField name="contact" label={texts.contact} autocomplete="name" lengthMax={200} />
        <LineField name="email" label={texts.email} autocomplete="email" type="email" lengthMax={254} />
        <div class="field">
          <Label name="volume" label={texts.volume} optional={texts.optional} />
          <input class="input" id="volume" name="volume" maxlength="200" aria-describedby="volume-hint" />
          <span class="field-hint" id="volume-hint">
            {texts.volumeHint}
          </span>
        </div>
        <div class="field contact-wide">
          <Label name="message" label={texts.message} optional={texts.optional} />
          <textarea class="input" id="message" name="message" rows="6" maxlength="5000" />
        </div>
        {/* Only bots fill in this hidden field. */}
        <div hidden>
          <label for="website">Website</label>
          <input id="website" name="website" tabindex="-1" autocomplete="off" />
        </div>
        <p class="contact-wide">
          <button type="submit" class="button" data-variant="primary" data-size="large" data-cta="contact-send">
            {texts.send}
          </button>
        </p>
      </form>
    </>
  );
}

function Label(props: { readonly name: string; readonly label: string; readonly optional: string }): JSX.Element {
  return (
    <label class="field-label" for={props.name}>
      {props.label} <span class="field-optional">({props.optional})</span>
    </label>
  );
}

function LineField(props: {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly lengthMax: number;
  readonly type?: "email";
}): JSX.Element {
  return (
    <div class="field">
      <label class="field-label" for={props.name}>
        {props.label}
      </label>
      <input
        class="input"
        id={props.name}
        name={props.name}
        type={props.type ?? "text"}
        autocomplete={props.autocomplete}
        maxlength={props.lengthMax}
        required
      />
    </div>
  );
}

function Sent(props: InContext): JSX.Element {
  const { context } = props;
  const { sent } = contactTexts[context.locale];
  return (
    <>
      <h1>{sent.heading}</h1>
      <p class="lead">{sent.text}</p>
      <p class="home-actions">
        <a class="button" href={context.link("/")}>
          {sent.home}
        </a>
      </p>
    </>
  );
}
