import { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { type CacheMark, type DocumentBlock, type ImageBlock, imageTypes, type TextSource } from "./blocks.ts";

/** How every PDF begins, in base64; some clients send the data without its type. */
const pdfStart = "JVBERi";

/** A media type with parameters is far shorter. */
const dataUrlHeadMax = 256;

type EncodedData = { readonly mediaType: string; readonly data: string };

/** An `image_url` part. @throws ConversionError unless it is a base64 data URL of an image, or an address */
export function toImageBlock(part: FieldReader, mark: CacheMark): ImageBlock {
  const image = part.get("image_url");
  const [reader, name] = typeof image === "string" ? [part, "image_url"] : [requiredObject(part, "image_url"), "url"];
  const url = reader.requiredName(name);
  const param = reader.pathOf(name);
  if (/^https?:\/\//i.test(url)) {
    return { type: "image", source: { type: "url", url }, ...mark };
  }
  const encoded = readDataUrl(url);
  if (encoded === null) {
    throw new ConversionError(`'${param}' must be an http(s) URL or a base64 data URL.`, param);
  }
  return toEncodedImage(encoded, param, mark);
}

/** A `file` part: a PDF or text as a document, an image as one. @throws ConversionError for anything else */
export function toFileBlock(part: FieldReader, mark: CacheMark): DocumentBlock | ImageBlock {
  const file = requiredObject(part, "file");
  if (file.has("file_id")) {
    throw new ConversionError("Uploaded files are not supported; send 'file_data'.", file.pathOf("file_id"));
  }
  const filename = file.text("filename");
  const text = file.requiredName("file_data");
  const param = file.pathOf("file_data");
  const encoded =
    readDataUrl(text) ?? (text.startsWith(pdfStart) ? { mediaType: "application/pdf", data: text } : null);
  if (encoded === null) {
    throw new ConversionError(`'${param}' must be a base64 data URL.`, param);
  }
  if (encoded.mediaType.startsWith("image/")) {
    return toEncodedImage(encoded, param, mark);
  }
  const title = filename === null || filename.trim() === "" ? {} : { title: filename };
  return { type: "document", source: toDocumentSource(encoded, param), ...title, ...mark };
}

function toEncodedImage({ mediaType, data }: EncodedData, param: string, mark: CacheMark): ImageBlock {
  const type = mediaType === "image/jpg" ? "image/jpeg" : imageTypes.find((known) => known === mediaType);
  if (type === undefined) {
    throw new ConversionError(`Images must be one of: ${imageTypes.join(", ")}.`, param);
  }
  return { type: "image", source: { type: "base64", media_type: type, data }, ...mark };
}

function toDocumentSource({ mediaType, data }: EncodedData, param: string): DocumentBlock["source"] {
  if (mediaType === "application/pdf") {
    return { type: "base64", media_type: mediaType, data };
  }
  if (mediaType.startsWith("text/") || mediaType === "application/json") {
    return toTextSource(data, param);
  }
  throw new ConversionError("Files must be PDF documents, text or images.", param);
}

function toTextSource(data: string, param: string): TextSource {
  const bytes = Buffer.from(data, "base64");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.trim() !== "") {
      return { type: "text", media_type: "text/plain", data: text };
    }
  } catch {
    throw new ConversionError("Text files must be encoded as UTF-8.", param);
  }
  throw new ConversionError("The file is empty.", param);
}

/** The type and data of a base64 data URL; null for any other text. */
function readDataUrl(url: string): EncodedData | null {
  const head = url.slice(0, dataUrlHeadMax);
  const comma = head.indexOf(",");
  const match = /^data:([^;,]+)(?:;[^,]*)?;base64$/i.exec(head.slice(0, Math.max(comma, 0)));
  const data = url.slice(comma + 1);
  return match?.[1] === undefined || data === "" ? null : { mediaType: match[1].trim().toLowerCase(), data };
}

function requiredObject(holder: FieldReader, name: string): FieldReader {
  return holder.object(name) ?? new FieldReader(null, holder.pathOf(name));
}
