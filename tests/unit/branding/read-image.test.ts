import { expect, test } from "bun:test";
import { readImage } from "@sluice/control-plane/branding/read-image.ts";
import { png } from "../../support/web/png.ts";

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const svg = (inner: string, size = 'viewBox="0 0 120 40"'): string =>
  base64(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inner}</svg>`);

test("an image is known by its bytes, with its size and a hash that changes with it", () => {
  const drawn = readImage("logo_light", svg('<path d="M0 0h120v40"/>'));
  expect(drawn).toMatchObject({ contentType: "image/svg+xml", width: 120, height: 40 });
  const pixels = readImage("icon", base64(png(64, 64)));
  expect(pixels).toMatchObject({ contentType: "image/png", width: 64, height: 64 });
  expect(drawn.hash).toMatch(/^[0-9a-f]{16}$/);
  expect(drawn.hash).not.toBe(readImage("logo_light", svg('<path d="M0 0h120v41"/>')).hash);
});

test("a drawing may have gradients, styles and embedded pixels", () => {
  const inner = `<style>.a{fill:#123}</style><defs><linearGradient id="g"/></defs><use href="#a"/><rect fill="url(#g)"/>
<image href="data:image/png;base64,iVBORw0KGgo="/>`;
  expect(readImage("logo_dark", svg(inner)).contentType).toBe("image/svg+xml");
});

test.each([
  ["a script", "<script>alert(1)</script>"],
  ["a script with a prefix", "<svg:script>alert(1)</svg:script>"],
  ["a handler", '<path onload="alert(1)"/>'],
  ["a handler after a slash", "<path/onload=alert(1)>"],
  ["a foreign object", "<foreignObject><p/></foreignObject>"],
  ["a link to a script", '<a href="javascript:alert(1)"/>'],
  ["a part of another file", '<use href="https://other.example/a.svg#b"/>'],
  ["an image elsewhere", '<image xlink:href="//other.example/pixel.png"/>'],
  ["data that is not an image", '<image href="data:image/svg+xml;base64,PHN2Zz4="/>'],
  ["an imported style", "<style>@import url(https://other.example/a.css)</style>"],
  ["hidden characters", '<a href="&#106;avascript:alert(1)"/>'],
])("a drawing with %s is refused", (_, inner) => {
  expect(() => readImage("logo_light", svg(inner))).toThrow();
});

test.each<[string, Parameters<typeof readImage>[0], string]>([
  ["text", "logo_light", base64("hello")],
  ["nothing", "logo_light", ""],
  ["a page", "logo_light", base64("<!doctype html><svg viewBox='0 0 1 1'></svg>")],
  ["a drawing with entities", "logo_light", base64('<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 90 30"/>')],
  ["a picture of another format", "logo_light", base64(Buffer.from("474946383961400040000000002c", "hex"))],
  ["pixels that are cut off", "icon", base64(png(64, 64).subarray(0, 20))],
  ["too many pixels", "logo_light", base64(png(2_001, 300))],
  ["an icon that is not square", "icon", base64(png(64, 32))],
  ["a drawing as the image of links", "social", svg("", 'viewBox="0 0 1200 630"')],
  ["a small image of links", "social", base64(png(300, 157))],
  ["a logo that is far too wide", "logo_dark", base64(png(900, 20))],
])("%s is refused", (_, kind, file) => {
  expect(() => readImage(kind, file)).toThrow();
});

test("a file above the limit is refused", () => {
  const large = Buffer.concat([png(64, 64), Buffer.alloc(256 * 1024)]);
  expect(() => readImage("icon", base64(large))).toThrow();
});
