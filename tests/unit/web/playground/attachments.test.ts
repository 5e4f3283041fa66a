import { expect, test } from "bun:test";
import { attachmentLimits, faultOfFile, readAttachment } from "@sluice/web/src/console/pages/playground/attachments.ts";
import type { Attachment } from "@sluice/web/src/console/pages/playground/conversation.ts";

const file = (name: string, type: string, size = 1) => ({ name, type, size });
const present = (bytes: number): Attachment => ({ id: "1", name: "a", kind: "image", data: "", bytes });

test.each([
  ["photo.png", "image/png"],
  ["paper.pdf", "application/pdf"],
  ["notes.txt", "text/plain"],
  ["data.json", "application/json"],
  ["main.rs", ""],
])("%s can be attached", (name, type) => {
  expect(faultOfFile(file(name, type), [])).toBeNull();
});

test.each([
  ["photo.bmp", "image/bmp"],
  ["archive.zip", "application/zip"],
  ["program.exe", ""],
  ["film.mp4", "video/mp4"],
])("%s is refused", (name, type) => {
  expect(faultOfFile(file(name, type), [])?.kind).toBe("kind");
});

test("each kind, the number and the sum of files have a limit", () => {
  const { imageBytes, fileBytes, textBytes, totalBytes, count } = attachmentLimits;
  const limits = [
    ["a.png", "image/png", imageBytes],
    ["a.pdf", "application/pdf", fileBytes],
    ["a.txt", "text/plain", textBytes],
  ] as const;
  for (const [name, type, bytesMax] of limits) {
    expect(faultOfFile(file(name, type, bytesMax), [])).toBeNull();
    expect(faultOfFile(file(name, type, bytesMax + 1), [])).toEqual({ kind: "tooLarge", name, bytesMax });
  }
  const image = file("a.png", "image/png", 2);
  expect(faultOfFile(image, [present(totalBytes - 2)])).toBeNull();
  expect(faultOfFile(image, [present(totalBytes - 1)])?.kind).toBe("total");
  expect(
    faultOfFile(
      image,
      Array.from({ length: count }, () => present(1)),
    )?.kind,
  ).toBe("tooMany");
});

test("a picture is read as a data URL, a text as its characters", async () => {
  expect(await readAttachment(new File([new Uint8Array([0, 255])], "a.png", { type: "image/png" }))).toMatchObject({
    kind: "image",
    data: "data:image/png;base64,AP8=",
    bytes: 2,
  });
  expect(await readAttachment(new File(["grün"], "a.txt", { type: "text/plain" }))).toMatchObject({
    kind: "text",
    data: "grün",
  });
  const binary = new File([new Uint8Array([0xff, 0xfe, 0xfd])], "a.txt", { type: "text/plain" });
  expect(await readAttachment(binary)).toBeNull();
});
