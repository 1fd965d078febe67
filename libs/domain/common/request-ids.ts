/** Whether a text has the form of an id that the api gives to a request: 32 hex characters. */
export function isRequestId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}
