const formType = /^multipart\/form-data(?=[ \t]*;)/i;
const parameter = /[ \t]*;[ \t]*([\w!#$&+.^`|~-]+)=(?:"([^"\\]*)"|([^\s";,\\]+))/y;
const ending = /[ \t]*;?[ \t]*$/y;
/** RFC 2046: at most 70 of these; the last is not a space. */
const boundaryPattern = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/**
 * The boundary that a content type names; null if it is not multipart/form-data, is malformed, names none or several,
 * or declares a character set other than UTF-8.
 */
export function readBoundary(contentType: string): string | null {
  const type = formType.exec(contentType);
  let at = type?.[0].length ?? 0;
  const values = new Map<string, string>();
  for (let match = next(parameter, contentType, at); match !== null; match = next(parameter, contentType, at)) {
    const name = (match[1] ?? "").toLowerCase();
    if (values.has(name)) {
      return null;
    }
    values.set(name, match[2] ?? match[3] ?? "");
    at += match[0].length;
  }
  const boundary = values.get("boundary") ?? "";
  const isUtf8 = /^utf-?8$/i.test(values.get("charset") ?? "utf-8");
  const isRead = type !== null && next(ending, contentType, at) !== null;
  return isRead && isUtf8 && boundaryPattern.test(boundary) ? boundary : null;
}

function next(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
