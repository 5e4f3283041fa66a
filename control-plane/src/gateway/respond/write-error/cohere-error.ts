/**
 * An error in the form of the Cohere API, and beside it the code that other APIs have.
 * @param answer the same error in the form of the OpenAI API
 */
export function toCohereError(
  { error: { message, code } }: { readonly error: { readonly message: string; readonly code: string } },
  { requestId }: { readonly requestId: string },
) {
  return { id: requestId, message, code };
}
