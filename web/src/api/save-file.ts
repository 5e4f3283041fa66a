/** Saves a file where the browser keeps downloads. */
export function saveFile({ content, name }: { readonly content: Blob; readonly name: string }): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
