/** The page where people register. It says who may. */
import type { Brand } from "@sluice/contracts/brand";
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
  legalAnchors,
  legalLinks,
  moreLink,
  problemNotice,
  problemText,
  separated,
  submitButton,
} from "./form-page.ts";
import { formTexts } from "./form-texts/messages.ts";

const domainsShownMax = 10;

/** The registration form; none while registration is closed. */
export function registerPage(state: RegisterPageState, status: number, look: FormLook): Response {
  const { locale, invitation, needs, problem } = state;
  const texts = formTexts[locale];
  const notice = needs.mode === "closed" ? null : problemNotice(problemText(problem, locale));
  const form = needs.mode === "closed" ? null : registerForm(state, look.brand);
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

function registerForm({ locale, email, displayName, invitation, needs }: RegisterPageState, brand: Brand): Html {
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
${acceptBox(needs.accepts, brand, locale)}
${needs.proof === null ? null : proofFields(locale)}
${submitButton(texts.register.submit)}
</form>`;
}

/** One box for every legal page that has to be accepted, with links; none if there are none. */
function acceptBox(accepts: RegistrationNeeds["accepts"], brand: Brand, locale: Locale): Html | null {
  if (accepts.length === 0) {
    return null;
  }
  const named = legalAnchors(brand, locale, { pages: accepts.map(({ page }) => page), isOpenedBeside: true });
  const value = accepts.map(({ page, edition }) => `${page}.${edition}`).join(" ");
  const label = textWith("{pages}", formTexts[locale].register.accept, separated(named, ", "));
  return html`<label class="check" for="accepts"><input type="checkbox" id="accepts" name="accepts" value="${value}" required><span>${label}</span></label>`;
}

/** What the script fills in, which solves the puzzle when the form is sent. */
function proofFields(locale: Locale): Html {
  const { working, needsScript } = formTexts[locale].register;
  return html`${hiddenField("challenge", "")}${hiddenField("solution", "")}
<noscript><p class="notice">${needsScript}</p></noscript>
<p class="notice" role="status" data-working hidden>${working}</p>`;
}
