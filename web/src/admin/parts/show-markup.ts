/** The temporary name of a style attribute during parsing: our policy would refuse the attribute under its own name. */
const styleName = "data-mail-style";

/** Elements that an email may not contain: scripts, forms, and whatever loads something. */
const refused = "script, style, link, meta, base, iframe, object, embed, form, img, picture, video, audio, svg, source";

/**
 * Shows the HTML of an email or a text in the empty document of a frame. The pages' policy allows no styles in markup, so each is
 * set as a property; images are left out, because the page loads nothing from other servers.
 */
export function showMarkupIn(target: Document, html: string): void {
  const renamed = html.replace(/(<[^>]*?\s)style(\s*=)/gi, `$1${styleName}$2`);
  const source = new DOMParser().parseFromString(renamed, "text/html");
  for (const element of source.querySelectorAll(refused)) {
    element.remove();
  }
  target.documentElement.lang = source.documentElement.lang;
  target.documentElement.dir = source.documentElement.dir;
  target.title = source.title;
  const body = target.importNode(source.body, true);
  for (const element of [body, ...body.querySelectorAll<HTMLElement>("*")]) {
    for (const { name } of [...element.attributes].filter((attribute) => attribute.name.startsWith("on"))) {
      element.removeAttribute(name);
    }
    element.style.cssText = element.getAttribute(styleName) ?? "";
    element.removeAttribute(styleName);
  }
  target.body.replaceWith(body);
}
