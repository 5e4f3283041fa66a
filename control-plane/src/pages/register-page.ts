/** The page where people register. It says who may. */
import type { Locale } from "@sluice/contracts/locales";
import type { RegisterPageState, RegistrationNeeds } from "../accounts/port.ts";
import { type Html, html } from "../platform/html.ts";
import { formPath } from "../platform/page-locale.ts";
import { emailAttributes, newPasswordAttributes, signInLinks, textWith } from "./account-pages.ts";
import {
  type FormLook,
  formField,
  formPage,
  hiddenField,
  legalLinks,
  moreLink,
  problemNotice,
  problemText,
  submitButton,
} from "./form-page.ts";
import { formTexts } from "./form-texts/messages.ts";

const domainsShownMax = 10;

/** The registration form; none while registration is closed. */
export function registerPage(state: RegisterPageState, status: number, look: FormLook): Response {
  const { locale, invitation, needs, problem } = state;
  const texts = formTexts[locale];
  const notice = needs.mode === "closed" ? null : problemNotice(problemText(problem, locale));
  const form = needs.mode === "closed" ? null : registerForm(state);
  const links = needs.mode === "closed" ? null : signInLinks(state.signIns, { invitation }, locale);
  const body = html`${notice}${whoMay(needs, locale)}${form}${links}
${moreLink(formPath("/login/", locale), texts.login.submit, texts.register.hasAccount)}${legalLinks(look.brand, locale)}`;
  const { title } = texts.register;
  const address = invitation === "" ? "/register/" : `/register/?invitation=${encodeURIComponent(invitation)}`;
  const scripts = needs.proof === null || look.assets === null ? [] : [look.assets.proveWork];
  return formPage({ locale, title, body, status, look, address, scripts, isCounted: invitation === "" });
}

function whoMay({ mode, domains }: RegistrationNeeds, locale: Locale): Html | null {
  const { closed, onlyInvited, onlyDomains } = formTexts[locale].register;
  switch (mode) {
    case "open":
      return null;
    case "closed":
      return html`<p class="notice">${closed}</p>`;
    case "invitation":
      return html`<p>${onlyInvited}</p>`;
    case "domains": {
      const shown = domains.slice(0, domainsShownMax).join(", ");
      return html`<p>${textWith("{domains}", onlyDomains, domains.length > domainsShownMax ? `${shown}, …` : shown)}</p>`;
    }
  }
}

function registerForm({ locale, email, displayName, invitation, needs }: RegisterPageState): Html {
  const texts = formTexts[locale];
  const nameAttributes = html`autocomplete="name" maxlength="100" value="${displayName}"`;
  const isOptional = needs.mode !== "invitation";
  const codeAttributes = html`autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="100" value="${invitation}"${isOptional ? null : html` required`}`;
  const optional = html`<span class="field-optional">(${texts.optional})</span>`;
  const codeLabel = isOptional ? html`${texts.register.invitation} ${optional}` : texts.register.invitation;
  const hasCode = needs.mode !== "open" || invitation !== "";
  return html`<form method="post" action="/register/"${needs.proof === null ? null : html` data-proof`}>
${hiddenField("lang", locale)}
${formField("email", texts.email, emailAttributes(email))}
${formField("password", texts.password, newPasswordAttributes, texts.register.passwordHint)}
${formField("display_name", html`${texts.register.displayName} ${optional}`, nameAttributes)}
${hasCode ? formField("invitation", codeLabel, codeAttributes) : null}
${needs.proof === null ? null : proofFields(locale)}
${submitButton(texts.register.submit)}
</form>`;
}

/** What the script fills in, which solves the puzzle when the form is sent. */
function proofFields(locale: Locale): Html {
  const { working, needsScript } = formTexts[locale].register;
  return html`${hiddenField("challenge", "")}${hiddenField("solution", "")}
<noscript><p class="notice">${needsScript}</p></noscript>
<p class="notice" role="status" data-working hidden>${working}</p>`;
}
