import { describe, expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { mailTemplateNames } from "@sluice/contracts/mail";
import { mailLocaleOf, plainMailLook } from "@sluice/control-plane/mail/model.ts";
import { renderMail } from "@sluice/control-plane/mail/render.ts";
import { checkTemplate } from "@sluice/control-plane/mail/templates/check-template.ts";
import { builtInTemplate } from "@sluice/control-plane/mail/templates/layout.ts";
import { fillPlaceholders, UnknownPlaceholderError } from "@sluice/control-plane/mail/templates/placeholders.ts";
import { sampleVariables } from "@sluice/control-plane/mail/templates/sample-variables.ts";

const shared = { service: "Sluice", console_link: "https://example.com/console/" };
const look = { shared, look: plainMailLook };
const variables = sampleVariables("https://example.com");
const all = mailTemplateNames.flatMap((template) => allLocales.map((locale) => ({ template, locale })));

const render = (
  template: (typeof mailTemplateNames)[number],
  locale: (typeof allLocales)[number],
  changes: Record<string, string> = {},
) =>
  renderMail(
    builtInTemplate(template, locale),
    { template, locale, variables: { ...variables[template], ...changes } },
    look,
  );

/** The letters that a language is written with, so that no text of one ends up under another. */
const scripts: Partial<Record<(typeof allLocales)[number], RegExp>> = {
  zh: /\p{Script=Han}/u,
  ja: /\p{Script=Hiragana}/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  ar: /\p{Script=Arabic}/u,
  hi: /\p{Script=Devanagari}/u,
};

describe.each(all)("$template in $locale", ({ template, locale }) => {
  test("renders with every variable filled, in its own script and direction", () => {
    const { subject, html, text } = render(template, locale);
    for (const part of [subject, html, text]) {
      expect(part).not.toMatch(/\{\{|\}\}|undefined|null|NaN/);
      expect(part).toMatch(scripts[locale] ?? /\p{Script=Latin}/u);
    }
    expect(subject).not.toMatch(/[\r\n]|:\/\//);
    expect(html).toContain(`<html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}">`);
    expect(text).not.toMatch(/<\/?(html|p|a|div|table)\b/);
  });

  test("loads nothing from anywhere and can be saved as it is", () => {
    const { html } = render(template, locale);
    expect(html).not.toMatch(/<(img|script|link|iframe|form)|src=|url\(/i);
    expect(checkTemplate(template, builtInTemplate(template, locale))).toEqual({});
  });
});

test("no language has the same text as another", () => {
  for (const template of mailTemplateNames) {
    expect(new Set(allLocales.map((locale) => render(template, locale).text)).size).toBe(allLocales.length);
  }
});

test("a variable's value is text in the HTML and can't end a header", () => {
  for (const locale of allLocales) {
    const evil = `"><script>alert(1)</script>' {{link}} & \`x\`\r\nBcc: a@b.c`;
    const { subject, html, text } = render("payment_success", locale, { plan_name: evil, order_no: evil });
    expect(html).not.toContain("<script");
    expect(html).toContain(
      "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39; {{link}} &amp; &#96;x&#96;  Bcc: a@b.c",
    );
    expect(`${subject}${text}`).not.toContain("\nBcc");
  }
  const link = 'https://example.com/?a=1&b="2"';
  const { html, text } = render("email_verify", "en", { link });
  expect(html).toContain('href="https://example.com/?a=1&amp;b=&quot;2&quot;"');
  expect(text).toContain(link);
});

test("numbers of hours and minutes have the right plural", () => {
  const shown = (locale: (typeof allLocales)[number], minutes: number) =>
    render("email_verify", locale, { valid_minutes: String(minutes) }).text.replace(/[\u00a0\u202f]/g, " ");
  const cases = [
    ["en", 60, "1 hour."],
    ["en", 1_440, "24 hours."],
    ["en", 30, "30 minutes."],
    ["ru", 60, "1 час."],
    ["ru", 1_440, "24 часа."],
    ["ru", 720, "12 часов."],
    ["ar", 120, "ساعتان"],
    ["ar", 180, "3 ساعات"],
    ["ar", 1_440, "24 ساعة"],
    ["de", 1_440, "24 Stunden."],
    ["fr", 60, "1 heure."],
    ["hi", 1_440, "24 घंटे"],
    ["ja", 1_440, "24 時間"],
  ] as const;
  for (const [locale, minutes, expected] of cases) {
    expect(shown(locale, minutes)).toContain(expected);
  }
});

test("amounts are exact however large, in the language's format, and the balance is never rounded up", () => {
  const english = render("payment_success", "en", { amount: "12345678901234567.89", quota: "4999" }).text;
  expect(english).toContain("$12,345,678,901,234,567.89");
  expect(english).toContain("Credit: $0.00");
  expect(render("payment_success", "de", { amount: "1234.50" }).subject).toContain("1.234,50\u00a0$");
  expect(render("quota_low", "en", { quota: "-5", threshold_percent: "5" }).subject).toBe(
    "Less than 5% of your balance is left",
  );
});

test("values inside Arabic text are isolated from it, and links stay as they are", () => {
  const { text, html } = render("payment_success", "ar");
  expect(text).toContain("\u2068SAMPLE1234\u2069");
  expect(html).toContain('href="https://example.com/console/"');
  expect(text).toContain("\nhttps://example.com/console/\n");
});

test("an email with a missing variable is not rendered", () => {
  const mail = { template: "email_verify", locale: "en", variables: { valid_minutes: "60" } } as const;
  expect(() => renderMail(builtInTemplate("email_verify", "en"), mail, look)).toThrow();
  expect(() => fillPlaceholders("{{constructor}}", () => undefined)).toThrow(UnknownPlaceholderError);
  const source = { subject: "{{to_string}}", html: "", text: "" };
  expect(() => renderMail(source, { ...mail, variables: variables.email_verify }, look)).toThrow(
    UnknownPlaceholderError,
  );
});

test("a language tag gets the closest translation", () => {
  const tags = ["pt-BR", "zh_Hans_CN", "EN-us", " de ", "xx", "", "arabic", "__proto__"];
  expect(tags.map(mailLocaleOf)).toEqual(["pt", "zh", "en", "de", "en", "en", "en", "en"]);
});

describe("an admin's template is refused", () => {
  const good = { subject: "Hello", html: '<a href="{{link}}">x</a>', text: "{{ link }}" };

  test.each([
    ["with a variable that does not exist", { ...good, text: "{{link}} {{password}}" }, "text"],
    ["with a link in the subject, which is kept", { ...good, subject: "Go to {{link}}" }, "subject"],
    ["without the link in the HTML", { ...good, html: "<p>x</p>" }, "html"],
    ["without the link in the text", { ...good, text: "x" }, "text"],
    ["with braces that hold no name", { ...good, text: "{{link}} {{Link!}}" }, "text"],
    ["with a script", { ...good, html: "{{link}}<script>1</script>" }, "html"],
    ["with a handler", { ...good, html: '{{link}}<p onclick="x">' }, "html"],
    ["with an image that reports who reads it", { ...good, html: '{{link}}<img src="https://t.example/p">' }, "html"],
    ["with a link that is passed to others", { ...good, html: '<a href="https://t.example/?{{link}}">x</a>' }, "html"],
    [
      "with a link after a space in an address",
      { ...good, html: '<a href="https://t.example/ {{link}}">x</a>' },
      "html",
    ],
    ["with a link in another attribute", { ...good, html: '<a title="{{link}}" href="{{link}}">x</a>' }, "html"],
    ["with a link at the end of an address", { ...good, html: "https://t.example/<b>{{link}}</b>" }, "html"],
    ["with a link at the end of an address in the text", { ...good, text: "https://t.example/{{link}}" }, "text"],
    [
      "with a tag that readers end in different places",
      { ...good, html: '<b x=a"> <a href="https://t.example/> {{link}} ">' },
      "html",
    ],
    ["with a tag that does not end", { ...good, html: '{{link}}<a href="https://t.example/' }, "html"],
    ["with a style that loads something", { ...good, html: "{{link}}<p style='background:url(//t.example)'>" }, "html"],
  ])("%s", (_reason, source, part) => {
    expect(Object.keys(checkTemplate("email_verify", source))).toEqual([part]);
  });

  test("and accepted when it is valid", () => {
    expect(checkTemplate("email_verify", good)).toEqual({});
  });
});

test("the operator's logo is above the heading of any template, no wider than a phone, and named for readers", () => {
  const logo = { url: "https://example.com/brand/logo", width: 1200, height: 100 };
  const own = { shared: { ...shared, service: 'Ac"me' }, look: { accent: "#123456", logo } };
  const template = "password_changed" as const;
  const mail = { template, locale: "en" as const, variables: variables[template] };
  const image =
    '<img src="https://example.com/brand/logo" width="240" height="20" alt="Ac&quot;me" style="display:block;border:0">';
  const shipped = renderMail(builtInTemplate(template, "en", own.look), mail, own).html;
  expect(shipped).toContain(`${image}</p>\n<h1`);
  expect(shipped).toContain("background:#123456");
  expect(shipped).not.toContain(plainMailLook.accent);
  const saved = { subject: "s", html: "<h1>A</h1><h1>B</h1>", text: "t" };
  expect(renderMail(saved, mail, own).html).toMatch(/^<p [^>]*><img [^>]*><\/p>\n<h1>A<\/h1><h1>B<\/h1>$/);
});
